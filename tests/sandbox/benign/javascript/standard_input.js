// Stdin as a file, the way of competitors.
const lines = require("node:fs").readFileSync("/dev/stdin", "utf8").trim().split("\n");
const [count, ...numbers] = lines.map(Number);
console.log(count === numbers.length, numbers.reduce((a, b) => a + b, 0), Math.max(...numbers));
