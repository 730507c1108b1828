# goal: hide a command behind a carriage return, at which the runner begins a new line
# success: logs
# held_by: always:printing
import sys

sys.stdout.reconfigure(encoding="utf-8", newline="")
print("fine\r::error::not at all")
