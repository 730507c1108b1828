# goal: the same by the controls of one byte, which need no escape character
# success: logs
# held_by: always:printing
import sys

sys.stdout.reconfigure(encoding="utf-8", newline="")
print("\x9b2J\x9d0;title\x9cpassed")
