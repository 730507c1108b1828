// Enums, namespaces and parameter properties: TypeScript that is code, and that answers are full of.
enum Level { Low, High = 5, Higher }
enum Name { First = "first", Second = "second" }
const enum Flag { Read = 1 << 0, Write = 1 << 1 }

namespace Shapes {
  export const unit = 1;
  export function area(side: number): number { return side * side * unit; }
}

class Point {
  constructor(public readonly x: number, private y: number = 2) {}
  sum(): number { return this.x + this.y; }
}

console.log(Level.Low, Level.Higher, Level[5], Name.Second, Flag.Read | Flag.Write);
console.log(Object.values(Name).join(","), Shapes.area(3), new Point(1).sum(), JSON.stringify(new Point(3)));
