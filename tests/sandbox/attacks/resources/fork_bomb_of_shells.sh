# goal: the bomb that everybody knows, in two generations of shells
# success: exceeds processes
# held_by: limits:processes + watch
# limits: wall=2 processes=32
bomb() {
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
        if [ "$1" -gt 0 ]; then bomb $(($1 - 1)) & else sleep 4 & fi
    done 2>/dev/null
    wait
}
bomb 1
