# Commands in the place of files.
while read -r number name; do
  echo "$name is $number"
done < <(printf '%s\n' "1 one" "2 two")
diff <(seq 1 3) <(seq 2 4)
echo "differs: $?"
paste -d, <(echo a) <(echo b) | tee >(cat > copy.txt) > /dev/null
wait
sleep 0.1
cat copy.txt
coproc UP { stdbuf -oL tr a-z A-Z; }
echo shout >&"${UP[1]}"
read -r answer <&"${UP[0]}"
echo "$answer"
