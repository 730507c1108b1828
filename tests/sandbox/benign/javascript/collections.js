// Map and Set keep their order; so do objects, but for numbers; sorting is stable.
const map = new Map([["b", 1], ["a", 2]]);
map.set("c", 3).delete("b");
map.set("b", 4);
console.log(map, [...map.keys()], new Set([3, 1, 3, 2]));
console.log(Object.keys({ z: 1, 10: 1, 9: 1, a: 1 }), Object.entries({ x: [1], y: { z: null } }));
console.log([10, 9, 1].sort(), [10, 9, 1].sort((a, b) => a - b), [3, 1, 2].toSorted(), ["é", "z", "a"].sort());
console.log(["é", "z", "a"].sort(new Intl.Collator("en").compare), [[1, [2, [3]]]].flat(Infinity));
const people = [{ n: "Zoë", a: 30 }, { n: "Al", a: 25 }, { n: "Bo", a: 30 }];
console.log(people.sort((x, y) => y.a - x.a).map(({ n }) => n), Object.groupBy(people, ({ a }) => a));
const { a, ...rest } = { a: 1, b: 2, c: 3 };
console.log(rest, structuredClone({ d: new Date(0), m: new Map([[1, { x: 1 }]]) }), [..."a😀"].length);
console.log(JSON.stringify({ u: undefined, d: new Date(0), n: NaN, s: "\u2028é", nested: [{}] }, null, 1));
class Tree {
  #left; #right; #value;
  constructor(value, left, right) { this.#value = value; this.#left = left; this.#right = right; }
  *[Symbol.iterator]() { if (this.#left) yield* this.#left; yield this.#value; if (this.#right) yield* this.#right; }
}
console.log(...new Tree(2, new Tree(1), new Tree(3)), new WeakMap() instanceof WeakMap);
