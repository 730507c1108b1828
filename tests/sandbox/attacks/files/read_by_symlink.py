# goal: read the checkout through a link in the own folder
# success: prints TOKEN
# held_by: landlock_files
import json
import os

os.symlink(json.load(open("target.json"))["secret_file"], "link")
print(open("link").read())
