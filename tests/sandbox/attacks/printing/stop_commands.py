# goal: end the fence that a tool puts around such lines, by guessing
# success: logs
# held_by: always:printing
import sys

sys.stdout.reconfigure(encoding="utf-8", newline="")
print("::stop-commands::x\n::x::\n::error file=app.py::it was you")
