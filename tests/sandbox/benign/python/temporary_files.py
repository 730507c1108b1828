# Files and folders of its own, in the usual places.
import os
import shutil
import tempfile
from pathlib import Path

with tempfile.TemporaryDirectory() as folder:
    top = Path(folder)
    (top / "a" / "b").mkdir(parents=True)
    (top / "a" / "b" / "c.txt").write_text("grüße\n", encoding="utf-8")
    shutil.copyfile(top / "a" / "b" / "c.txt", top / "d.txt")
    os.link(top / "d.txt", top / "e.txt")
    (top / "link").symlink_to("d.txt")
    (top / "d.txt").rename(top / "f.txt")
    print(sorted(str(path.relative_to(top)) for path in top.rglob("*")))
    print((top / "e.txt").read_text("utf-8").strip(), (top / "link").exists(), os.stat(top / "e.txt").st_nlink)
print(top.exists())
with tempfile.NamedTemporaryFile("w+b") as file:
    file.write(b"x" * 10_000_000)
    file.seek(-1, os.SEEK_END)
    print(file.read(), file.tell())
with open("beside.txt", "w") as file:
    print("in the current folder", file=file)
print(open("beside.txt").read().strip(), os.path.getsize("beside.txt"))
print(Path.home() == Path.cwd())
