// A deep stack, a big heap, and a stack that overflows and is caught.
const depth = (n) => (n === 0 ? 0 : 1 + depth(n - 1));
console.log(depth(5000));
try {
  (function forever() { forever(); })();
} catch (error) {
  console.log(error instanceof RangeError, error.message);
}
const rows = Array.from({ length: 1_000_000 }, (_, i) => ({ i, s: "row" }));
console.log(rows.filter(({ i }) => i % 3 === 0).length, rows.at(-1));
const memo = new Map();
const paths = (r, c) => {
  if (r === 0 || c === 0) return 1n;
  const key = r * 1000 + c;
  if (!memo.has(key)) memo.set(key, paths(r - 1, c) + paths(r, c - 1));
  return memo.get(key);
};
console.log(paths(40, 40), Buffer.alloc(200 * 1024 * 1024, 1).readUInt8(5000));
