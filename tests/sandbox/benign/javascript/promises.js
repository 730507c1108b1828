// The order of the event loop, and what comes of promises.
const later = (ms, value) => new Promise((resolve) => setTimeout(resolve, ms, value));
async function* count(to) {
  for (let i = 1; i <= to; i++) yield later(1, i);
}
console.log("1 now");
setTimeout(() => console.log("5 timeout"), 0);
setImmediate(async () => {
  await later(5);
  console.log(await Promise.all([later(9, "a"), later(1, "b"), "c"]), await Promise.race([later(50, "slow"), later(1, "fast")]));
  const settled = await Promise.allSettled([Promise.reject(new Error("no")), later(1, 1)]);
  console.log(settled.map(({ status, value, reason }) => `${status} ${value ?? reason.message}`));
  console.log(await Promise.any([Promise.reject(1), later(1, "one")]));
  const seen = [];
  for await (const number of count(4)) seen.push(number);
  try {
    await AbortSignal.timeout(5).throwIfAborted();
    await later(50);
    AbortSignal.abort(new Error("stopped")).throwIfAborted();
  } catch (error) {
    console.log(seen, error.message);
  } finally {
    console.log("finally");
  }
});
process.nextTick(() => console.log("3 tick"));
Promise.resolve().then(() => console.log("4 microtask"));
console.log("2 still now");
process.on("exit", (code) => console.log("exit", code));
