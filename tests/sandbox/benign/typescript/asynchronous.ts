// Promises with types, and modules of Node.
import { setTimeout as sleep } from "node:timers/promises";
import { EventEmitter, once } from "node:events";
import type { Readable } from "node:stream";
import { strict as assert } from "node:assert";

async function retry<T>(act: (attempt: number) => Promise<T>, most: number): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await act(attempt);
    } catch (error) {
      console.log("failed", attempt, (error as Error).message);
      if (attempt >= most) throw error;
      await sleep(1);
    }
  }
}
console.log(await retry(async (attempt) => {
  if (attempt < 3) throw new Error("not yet");
  return "done";
}, 5));
const emitter = new EventEmitter();
setImmediate(() => emitter.emit("told", 1, "two"));
console.log(await once(emitter, "told"));
const pool = async <T,>(tasks: (() => Promise<T>)[], width: number): Promise<T[]> => {
  const results: T[] = [];
  let next = 0;
  await Promise.all(Array.from({ length: width }, async () => {
    while (next < tasks.length) { const mine = next++; results[mine] = await tasks[mine]!(); }
  }));
  return results;
};
console.log(await pool([5, 1, 3].map((ms) => async () => { await sleep(ms); return ms * 2; }), 2));
assert.deepEqual({ a: [1] }, { a: [1] });
const stream: Readable = process.stdin;
let text: string = "";
for await (const chunk of stream) text += chunk;
console.log(text.split("\n").length, text.length);
