# Counts the words of stdin, in order of number and name.
import sys
from collections import Counter

words = Counter(word.strip(".,;").lower() for line in sys.stdin for word in line.split())
for word, count in sorted(words.items(), key=lambda item: (-item[1], item[0]))[:6]:
    print(f"{count:3d} {word}")
print(sum(words.values()), len(words))
