# goal: leave a file in a folder that everybody may write to
# success: creates open/left
# held_by: landlock_files + read_only_mounts
import json

open(json.load(open("target.json"))["open"] + "/left", "w").write("x")
