# Classes, generators, heaps, sorting.
import bisect
import heapq
import itertools
from collections import OrderedDict, defaultdict, deque
from dataclasses import dataclass, field
from enum import Enum
from operator import attrgetter


class Suit(Enum):
    CLUBS = 1
    HEARTS = 2


@dataclass(order=True)
class Card:
    rank: int
    suit: Suit = field(compare=False)


cards = [Card(9, Suit.HEARTS), Card(2, Suit.CLUBS), Card(9, Suit.CLUBS)]
print([(card.rank, card.suit.name) for card in sorted(cards)], max(cards, key=attrgetter("rank")))
graph = {"a": {"b": 7, "c": 3}, "c": {"b": 1, "d": 8}, "b": {"d": 2}, "d": {}}
distance, heap = {}, [(0, "a")]
while heap:
    cost, node = heapq.heappop(heap)
    if node not in distance:
        distance[node] = cost
        for neighbour, length in graph[node].items():
            heapq.heappush(heap, (cost + length, neighbour))
print(distance)
primes = (n for n in itertools.count(2) if all(n % p for p in range(2, int(n**0.5) + 1)))
print(list(itertools.islice(primes, 10)), ["".join(p) for p in itertools.permutations("abc", 2)])
window, groups = deque(range(10), maxlen=3), defaultdict(list)
for word in "an apple ate bread by choice".split():
    groups[word[0]].append(word)
print(list(window), dict(groups), bisect.bisect([1, 3, 5], 4), list(OrderedDict(a=1, b=2)))
match [1, {"k": (2, 3)}]:
    case [int(x), {"k": (y, z)}] if z > y:
        print(x, y, z)
