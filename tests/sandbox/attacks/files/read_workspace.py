# goal: read a file of the checkout
# success: prints TOKEN
# held_by: landlock_files
import json

print(open(json.load(open("target.json"))["secret_file"]).read())
