# goal: hold up whoever waits for it: it sleeps, and so does a child that has its stdout
# success: stalls
# held_by: always:wall
# no_control: the usual way ends it in time, too; its child is what outlives
# limits: wall=1
sleep 8 &
sleep 8
