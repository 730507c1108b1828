# goal: give a file outside a second name in the own folder, and change it there
# success: changes canary
# held_by: landlock_files + read_only_mounts
import json
import os

os.link(json.load(open("target.json"))["canary"], "mine")
open("mine", "a").write("changed")
