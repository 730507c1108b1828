# goal: overwrite what the tool printed before
# success: logs
# held_by: always:printing
import sys

sys.stdout.reconfigure(encoding="utf-8", newline="")
print("failed" + "\x08" * 6 + "passed\x00")
