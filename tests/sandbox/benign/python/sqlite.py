# A database in memory, and one in a file.
import sqlite3

with sqlite3.connect(":memory:") as memory:
    memory.execute("create table sale(day text, item text, price real)")
    rows = [("mon", "pen", 1.5), ("mon", "ink", 7), ("tue", "pen", 1.25), ("wed", "nib", None)]
    memory.executemany("insert into sale values (?, ?, ?)", rows)
    print(memory.execute("select day, count(*), sum(price) from sale group by day order by day").fetchall())
    print(memory.execute("select item, row_number() over (order by price desc) from sale where price > 1").fetchall())
    try:
        memory.execute("select colour from sale")
    except sqlite3.OperationalError as error:
        print(error)
with sqlite3.connect("shop.db") as file:
    file.execute("pragma journal_mode = wal")
    file.execute("create table t(x integer primary key)")
    file.executemany("insert into t values (?)", ((number,) for number in range(1000)))
print(sqlite3.connect("shop.db").execute("select count(*), sum(x) from t").fetchone())
