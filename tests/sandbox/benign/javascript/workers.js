// Threads that share memory and send messages.
const { Worker, isMainThread, parentPort, workerData } = require("node:worker_threads");

if (isMainThread) {
  const shared = new SharedArrayBuffer(8);
  const counter = new Int32Array(shared);
  let left = 3;
  const squares = [];
  for (let number = 1; number <= 3; number++) {
    const worker = new Worker(__filename, { workerData: { shared, number } });
    worker.on("message", (message) => squares.push(message));
    worker.on("exit", (code) => {
      if (code !== 0) throw new Error(`ended with ${code}`);
      if (--left === 0) console.log(squares.sort((a, b) => a - b), Atomics.load(counter, 0));
    });
  }
} else {
  const counter = new Int32Array(workerData.shared);
  for (let i = 0; i < 10000; i++) Atomics.add(counter, 0, 1);
  parentPort.postMessage(workerData.number ** 2);
}
