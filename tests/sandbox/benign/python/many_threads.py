# A hundred threads at once, and the standard output by its name.
import threading
from concurrent.futures import ThreadPoolExecutor

gate = threading.Barrier(100)
with ThreadPoolExecutor(100) as pool:
    print(sorted(pool.map(lambda number: (gate.wait() >= 0) * number, range(100)))[-1], flush=True)
with open("/dev/stdout", "w") as out:
    print("by name", file=out)
