// goal: print on stderr until the memory of whoever reads it is full
// success: exceeds output
// held_by: always:streams
// limits: wall=4 cpu=8
const fs = require("fs");

const block = "x".repeat(1 << 20);
for (let part = 0; part < 60; part++) fs.writeSync(2, block);
