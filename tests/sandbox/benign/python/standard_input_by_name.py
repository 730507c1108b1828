# /dev/stdin, as competitors read it.
numbers = list(map(int, open("/dev/stdin").read().split()))
print(len(numbers), sum(numbers))
