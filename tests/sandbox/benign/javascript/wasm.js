// WebAssembly, written by hand: add, and the sum of a memory.
const bytes = Uint8Array.from([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 7, 1, 96, 2, 127, 127, 1, 127, 3, 2, 1, 0, 7, 7, 1, 3, 97, 100, 100, 0, 0, 10, 9, 1,
  7, 0, 32, 0, 32, 1, 106, 11,
]);
(async () => {
  console.log(WebAssembly.validate(bytes));
  const { instance } = await WebAssembly.instantiate(bytes);
  console.log(instance.exports.add(40, 2), instance.exports.add(2 ** 31 - 1, 1));
  const memory = new WebAssembly.Memory({ initial: 16, maximum: 64 });
  new Uint32Array(memory.buffer)[3] = 7;
  console.log(memory.grow(16), new Uint32Array(memory.buffer)[3], memory.buffer.byteLength);
})();
