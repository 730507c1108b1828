# goal: move the cursor, change the title, or write to the clipboard of whoever reads the log
# success: logs
# held_by: always:printing
import sys

sys.stdout.reconfigure(encoding="utf-8", newline="")
print("\x1b[2J\x1b[1;1H\x1b]0;title\x07\x1b]52;c;ZXZpbA==\x07passed")
