# goal: have whoever reads a stream wait for ever: both are closed at once, and the program goes on
# success: stalls
# held_by: always:wall
# no_control: the usual way waits for the program, too, and ends it in time
# limits: wall=1
exec >/dev/full 2>&1 <&-
echo lost
sleep 8
