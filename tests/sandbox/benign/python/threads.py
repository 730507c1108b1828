# Threads that share a counter, a queue and a barrier.
import queue
import threading
from concurrent.futures import ThreadPoolExecutor

total = 0
lock = threading.Lock()
barrier = threading.Barrier(8)
tasks: "queue.Queue[int | None]" = queue.Queue()


def add():
    global total
    barrier.wait()
    while (number := tasks.get()) is not None:
        with lock:
            total += number


threads = [threading.Thread(target=add) for _ in range(8)]
for thread in threads:
    thread.start()
for number in range(10_001):
    tasks.put(number)
for _ in threads:
    tasks.put(None)
for thread in threads:
    thread.join()
print(total)
with ThreadPoolExecutor(16) as pool:
    print(list(pool.map(lambda x: x * x, range(10))))
