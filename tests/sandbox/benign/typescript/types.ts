// Types are left out: interfaces, unions, generics, satisfies, assertions.
interface Shape { readonly kind: "circle" | "square"; size: number }
type Area<T extends Shape> = (shape: T) => number;
type Keys = keyof Shape;

const area: Area<Shape> = (shape) => {
  switch (shape.kind) {
    case "circle": return Math.PI * shape.size ** 2;
    case "square": return shape.size ** 2;
    default: { const never: never = shape.kind; return never; }
  }
};
const shapes = [{ kind: "circle", size: 1 }, { kind: "square", size: 3 }] satisfies Shape[];
console.log(shapes.map(area).map((n: number): string => n.toFixed(3)));

function first<T, K extends keyof T>(items: readonly T[], key: K): T[K] | undefined {
  return items[0]?.[key];
}
const key: Keys = "size";
console.log(first(shapes, key), first([] as Shape[], "kind"), (<T,>(x: T): T => x)(5), shapes[1]!.size as unknown as string);

declare const nothing: string;
type Result<T> = { ok: true; value: T } | { ok: false; error: string };
const parse = (text: string): Result<number> =>
  Number.isNaN(Number(text)) ? { ok: false, error: `no number: ${text}` } : { ok: true, value: Number(text) };
for (const text of ["42", "x"]) {
  const result = parse(text);
  console.log(result.ok ? result.value : result.error);
}
function isText(value: unknown): value is string { return typeof value === "string"; }
console.log([1, "a", null].filter(isText));
