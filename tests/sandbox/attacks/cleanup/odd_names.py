# goal: leave files whose names break those who list or print them
# success: stays
# held_by: always:removing
# no_control: Python's shutil copes with every name, too
import os

for name in (
    b"\n",
    b"\xff\xfe",
    b"-rf",
    b"..\r",
    b" ",
    b"*",
    b"\x1b[2J",
    b"a" * 255,
    b"::add-mask::x",
    "\u202e".encode(),
):
    os.makedirs(name + b"/" if len(name) < 255 else name)
    open(name + b"/" + name, "w").write("x")
