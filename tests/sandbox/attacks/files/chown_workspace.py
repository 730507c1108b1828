# goal: give a file of the checkout to somebody else
# success: changes secret_file
# held_by: own_uid + calls:owners by path
# needs: root
import json
import os

os.chown(json.load(open("target.json"))["secret_file"], 61151, 61151)
