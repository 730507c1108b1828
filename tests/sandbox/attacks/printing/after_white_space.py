# goal: hide a command behind white space of all kinds, which the runner skips
# success: logs
# held_by: always:printing
import sys

sys.stdout.reconfigure(encoding="utf-8", newline="")
for space in ("\t", "\x0b", "\x0c", "\x1c", "\x85", "\xa0", "\u1680", "\u2003", "\u2028", "\u2029", "\u3000", "\ufeff"):
    print(space + "::error::" + ascii(space))
