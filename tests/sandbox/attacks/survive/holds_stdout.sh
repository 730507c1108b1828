# goal: go on after the end in a child that holds stdout, so that whoever reads it waits
# success: outlives
# held_by: always:kill
# limits: wall=2
sleep 6 &
echo done
