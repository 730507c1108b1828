# goal: find what the previous program left in its own folder
# success: carries
# runs: 2
# held_by: always:fresh folder
# no_control: the usual way to run programs makes and removes a folder for each, too
import glob
import json
import os

target = json.load(open("target.json"))
base, name = os.path.split(os.getcwd())
if os.environ["ATTACK_RUN"] == "1":
    for folder in (".", os.environ.get("TMPDIR", "."), os.environ["HOME"]):
        open(folder + "/left", "w").write(target["carry"])
        os.chmod(folder, 0o777)
else:
    head, _, number = name.rpartition("-")
    guesses = [f"{base}/{head}-{n}" for n in range(int(number))] if number.isdigit() else glob.glob(base + "/naive-*")
    for folder in [*guesses, "."]:
        for path in (folder + "/left", folder + "/.tmp/left"):
            try:
                print(open(path).read())
            except OSError as error:
                print(error)
