# exit: 3
# Functions, recursion, traps, subshells, jobs.
set -eu
factorial() { if (( $1 <= 1 )); then echo 1; else echo $(( $1 * $(factorial $(( $1 - 1 ))) )); fi; }
fibonacci() { local a=0 b=1 i; for ((i = 0; i < $1; i++)); do local t=$((a + b)); a=$b b=$t; done; echo "$a"; }
echo "$(factorial 10) $(fibonacci 50)"
add() { local -n result=$1; result=$(( $2 + $3 )); }
add sum 2 40; echo "$sum"
x=outer; (x=inner; cd /; echo "$x $PWD"); echo "$x"
trap 'echo "told"' USR1
kill -USR1 $$
sleep 0.05 & first=$!
(exit 4) & second=$!
wait "$first"; echo "first $?"
wait "$second" || echo "second $?"
sleep 60 & kill $!; wait $! 2> /dev/null || echo "killed $?"
timeout 0.05 sleep 5 || echo "timed out $?"
if ! output=$(grep x /dev/null); then echo "nothing found '$output'"; fi
trap 'echo "bye $?"' EXIT
exit 3
