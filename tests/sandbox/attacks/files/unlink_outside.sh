# goal: delete what lies outside
# success: changes open
# held_by: landlock_files + read_only_mounts
folder=$(grep -o '"open": "[^"]*"' target.json | cut -d'"' -f4)
rm -rf "$folder/canary"
