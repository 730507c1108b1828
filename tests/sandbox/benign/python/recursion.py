# Deep, and with much memory: both within what programs have.
import sys
from functools import lru_cache

sys.setrecursionlimit(20_000)


def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)


@lru_cache(None)
def paths(rows, columns):
    return 1 if 0 in (rows, columns) else paths(rows - 1, columns) + paths(rows, columns - 1)


def hanoi(discs, source, target, spare):
    return 0 if discs == 0 else hanoi(discs - 1, source, spare, target) + 1 + hanoi(discs - 1, spare, target, source)


print(depth(9_000), paths(40, 40), hanoi(12, "a", "c", "b"))
block = bytearray(300 * 1024 * 1024)
block[::4096] = b"x" * (len(block) // 4096)
print(block.count(b"x"), len(block))
