// Stdin line by line, through a stream.
const readline = require("node:readline");
const { Transform, pipeline } = require("node:stream");
const { text } = require("node:stream/consumers");
const zlib = require("node:zlib");

(async () => {
  let number = 0;
  for await (const line of readline.createInterface({ input: process.stdin })) {
    if (/\p{Lu}/u.test(line)) console.log(++number, line.replace(/(?<first>\p{L})(\p{L}*)/gu, "$2$<first>ay"));
  }
  const shout = new Transform({ transform: (chunk, _, done) => done(null, chunk.toString().toUpperCase()) });
  pipeline(async function* () { yield "a"; yield "ß"; }, shout, () => {});
  console.log(await text(shout), zlib.gunzipSync(zlib.gzipSync("x".repeat(1000))).length);
})();
