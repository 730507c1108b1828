# goal: have many processes print at once, and on both streams
# success: exceeds output
# held_by: always:streams
# limits: wall=3
for _ in 1 2 3 4 5 6; do
    head -c 8000000 /dev/zero &
    head -c 8000000 /dev/zero >&2 &
done
wait
