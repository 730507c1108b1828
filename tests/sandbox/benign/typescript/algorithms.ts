// Dynamic programming, a heap, bits, BigInt.
const distance = (a: string, b: string): number => {
  let row: number[] = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    let last: number = row[0]!;
    row[0] = i;
    for (let j = 1; j <= b.length; j++) {
      const next: number = Math.min(row[j]! + 1, row[j - 1]! + 1, last + (a[i - 1] === b[j - 1] ? 0 : 1));
      last = row[j]!;
      row[j] = next;
    }
  }
  return row[b.length]!;
};
console.log(distance("kitten", "sitting"), distance("", "abc"));
const queens = (n: number, row = 0, columns = 0, left = 0, right = 0): number => {
  if (row === n) return 1;
  let found = 0;
  for (let free = ~(columns | left | right) & ((1 << n) - 1); free; free &= free - 1) {
    const bit = free & -free;
    found += queens(n, row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
  }
  return found;
};
console.log([4, 6, 8].map((n) => queens(n)));
const fibonacci = (n: number): bigint => { let [a, b]: [bigint, bigint] = [0n, 1n]; while (n-- > 0) [a, b] = [b, a + b]; return a; };
console.log(fibonacci(150));
const counts: Record<string, number> = {};
for (const letter of "mississippi") counts[letter] = (counts[letter] ?? 0) + 1;
console.log(counts, Object.entries(counts).sort(([x, m], [y, n]) => n - m || x.localeCompare(y)).map(([x]) => x).join(""));
