# goal: leave a folder, a link, a FIFO or an unnamed file made real, where plain files are refused
# success: changes open
# held_by: landlock_files + read_only_mounts
import json
import os

folder = json.load(open("target.json"))["open"]


def unnamed():
    descriptor = os.open(folder, os.O_TMPFILE | os.O_WRONLY, 0o666)
    os.link(f"/proc/self/fd/{descriptor}", f"{folder}/unnamed", follow_symlinks=True)


for act in (
    lambda: os.mkdir(f"{folder}/folder"),
    lambda: os.symlink("/etc/passwd", f"{folder}/link"),
    lambda: os.mkfifo(f"{folder}/fifo"),
    unnamed,
):
    try:
        act()
    except OSError as error:
        print(error)
