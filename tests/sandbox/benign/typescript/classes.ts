// Classes with typed fields, abstract methods, overloads, private state, generators.
abstract class Account {
  protected balance = 0;
  readonly owner: string;
  static #count = 0;
  constructor(owner: string) { this.owner = owner; Account.#count++; }
  abstract fee(amount: number): number;
  deposit(amount: number): this { this.balance += amount; return this; }
  withdraw(amount: number): void {
    const cost = amount + this.fee(amount);
    if (cost > this.balance) throw new RangeError(`${this.owner} lacks ${(cost - this.balance).toFixed(2)}`);
    this.balance -= cost;
  }
  get total(): number { return this.balance; }
  static get count(): number { return Account.#count; }
}
class Savings extends Account {
  override fee(amount: number): number { return amount * 0.01; }
}
const account = new Savings("Zoë").deposit(100).deposit(50);
account.withdraw(100);
console.log(account.total, account.owner, Savings.count, account instanceof Account);
try { account.withdraw(1000); } catch (error: unknown) { if (error instanceof RangeError) console.log(error.message); }

class Tree<T> implements Iterable<T> {
  private items: T[] = [];
  add(item: T): void { this.items.push(item); }
  *[Symbol.iterator](): Generator<T, void, undefined> { yield* this.items; }
}
const tree = new Tree<[string, number]>();
tree.add(["a", 1]);
for (const [name, value] of tree) console.log(name, value);
function describe(value: string): string;
function describe(value: number): string;
function describe(value: string | number): string { return `${typeof value} ${value}`; }
console.log(describe("x"), describe(1));
