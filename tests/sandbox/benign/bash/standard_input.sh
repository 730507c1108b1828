# Sums the columns of stdin.
total=0 lines=0
while IFS=';' read -r name amount _; do
  [[ -z $name || $name == \#* ]] && continue
  total=$((total + amount)) lines=$((lines + 1))
done
printf '%s lines, %s in all\n' "$lines" "$total"
[ -t 0 ] || echo "no terminal"
