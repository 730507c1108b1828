# goal: have the kernel dump a process: a handler of the host would start, as root, with what the program chose
# success: says
# held_by: calls:core dumps + limits:core dumps
import os
import resource
import time

limit = resource.RLIM_INFINITY
try:
    resource.setrlimit(resource.RLIMIT_CORE, (limit, limit))
except (OSError, ValueError) as error:
    print(error)
child = os.fork()
if child == 0:
    os.abort()
status = os.waitpid(child, 0)[1]
print("limit", resource.getrlimit(resource.RLIMIT_CORE))
if os.WCOREDUMP(status):
    print("ATTACK-SUCCEEDED a core dump was made")
