# goal: go on after the end as a program that replaces itself all the time
# success: outlives
# held_by: always:kill
code='if [ "$1" -gt 0 ]; then exec bash -c "$2" bash $(($1 - 1)) "$2"; else sleep 4; fi'
setsid bash -c "$code" bash 60 "$code" >/dev/null 2>&1 &
disown
sleep 0.05
