# goal: list the checkout: names tell what to ask for next
# success: prints TOKEN
# held_by: landlock_files
folder=$(grep -o '"workspace": "[^"]*"' target.json | cut -d'"' -f4)
ls -la "$folder"
echo "$folder"/*
