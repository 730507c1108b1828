"""Which wishes for attempts the budget carries. It lives within one call and is never seen outside."""

from __future__ import annotations

from collections.abc import Iterable

from llm_testbench.artifact.cells import CellKey
from llm_testbench.artifact.model import Side
from llm_testbench.compare.suspects import Wish


class Purse:
    """`free`: requests that nobody has a claim on. `asks`: attempts granted for the next round."""

    def __init__(self, free: int) -> None:
        self.free = free
        self.asks: dict[tuple[CellKey, Side], int] = {}
        self._kept: dict[tuple[CellKey, Side], int] = {}

    def keep(self, key: CellKey, wish: Wish) -> bool:
        """Grants the wish and keeps back what it may cost until it is decided; False: there is not enough.

        What is kept for another wish for the same attempts is not paid twice.
        """
        price = self._price(key, wish)
        if price > self.free:
            return False
        self.free -= price
        for side, rest in wish.rest.items():
            self._kept[key, side] = max(rest, self._kept.get((key, side), 0))
        self._grant(key, wish)
        return True

    def try_out(self, wishes: Iterable[tuple[CellKey, Wish]]) -> None:
        """Grants first attempts, in order, while all may go on to their ends, or all cost at most half of what is free.

        Most suspects are cleared by their first attempt, so more may be begun than could all go on. The other half
        stays for those that do.
        """
        whole = first = 0
        for key, wish in wishes:
            price = self._price(key, wish)
            whole += price
            first += sum(wish.now.values())
            if price > self.free or (whole > self.free and 2 * first > self.free):
                return
            self._grant(key, wish)

    def _price(self, key: CellKey, wish: Wish) -> int:
        return sum(max(0, rest - self._kept.get((key, side), 0)) for side, rest in wish.rest.items())

    def _grant(self, key: CellKey, wish: Wish) -> None:
        for side, now in wish.now.items():
            self.asks[key, side] = max(now, self.asks.get((key, side), 0))
