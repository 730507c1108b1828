# goal: read the hashes of the passwords of this machine
# success: says
# held_by: own_uid + landlock_files
# needs: root
with open("/etc/shadow") as file:
    if ":" in file.readline():
        print("ATTACK-SUCCEEDED opened and read")
