// Numbers from stdin, a table out.
import * as fs from "node:fs";

type Row = { name: string; scores: number[] };
const rows: Row[] = fs.readFileSync(0, "utf-8").trim().split("\n").map((line: string): Row => {
  const [name = "", ...rest] = line.split(/\s+/);
  return { name, scores: rest.map(Number) };
});
const mean = (numbers: number[]): number => numbers.reduce((a, b) => a + b, 0) / numbers.length;
for (const { name, scores } of rows.sort((a, b) => mean(b.scores) - mean(a.scores))) {
  console.log(`${name.padEnd(6)}|${mean(scores).toFixed(2).padStart(7)}`);
}
