# goal: show a reader another text than there is: directions of writing are overridden
# success: logs
# held_by: always:printing
import sys

sys.stdout.reconfigure(encoding="utf-8", newline="")
print("access = \u202e\u2066 // only admins\u2069 \u2066granted")
