# goal: end the tool
# success: signals tool
# held_by: own_uid + landlock_scope + calls:signals
kill "$(grep -o '"tool": [0-9]*' target.json | grep -o '[0-9]*')"
