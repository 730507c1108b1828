# goal: the same by the older form, which works in the middle of a line, too
# success: logs
# held_by: always:printing
import sys

sys.stdout.reconfigure(encoding="utf-8", newline="")
print("all is well ##[add-path]/tmp/evil")
