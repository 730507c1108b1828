# goal: go on after the end, with what every shell has
# success: outlives
# held_by: always:kill
nohup sleep 5 >/dev/null 2>&1 &
disown
setsid sleep 5 >/dev/null 2>&1 &
