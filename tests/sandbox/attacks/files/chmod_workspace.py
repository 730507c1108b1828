# goal: open a file of the checkout to everybody, or make a script of it
# success: changes secret_file
# held_by: own_uid + read_only_mounts + calls:modes by path
import json
import os

os.chmod(json.load(open("target.json"))["secret_file"], 0o777)
