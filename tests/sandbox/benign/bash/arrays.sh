# Arrays, maps, strings, loops, patterns.
names=(zoe "al b" bo)
names+=(eve)
echo "${#names[@]} ${names[1]} ${names[-1]} ${!names[*]}"
for name in "${names[@]:1:2}"; do echo "<$name>"; done
declare -A age=([zoe]=30 [bo]=25)
age[eve]=41
for key in $(printf '%s\n' "${!age[@]}" | sort); do echo "$key=${age[$key]}"; done
mapfile -t lines < <(printf 'a\nb b\n')
echo "${lines[1]}" "${#lines[@]}"
text="Hello, World: path/to/file.tar.gz"
echo "${text^^} ${text#*: } ${text##*/} ${text%%.*} ${text//o/0} ${#text} ${text:7:5} ${unset:-default}"
[[ $text =~ ([A-Z][a-z]+),\ ([A-Z][a-z]+) ]] && echo "${BASH_REMATCH[2]} ${BASH_REMATCH[1]}"
case $text in Hello*) echo matched ;; *) echo not ;; esac
for ((i = 0, j = 10; i < j; i += 3, j -= 2)); do printf '%d:%d ' "$i" "$j"; done; echo
echo {a,b}{1..3} {01..03} $((0x1F + 017 + 2#101)) $((7 / 2)) $((-7 % 3)) $((5 > 3 ? 1 : 0))
touch b.txt a.txt c.log
echo *.txt; shopt -s nullglob; echo none: *.zip
until (( ${#names[@]} == 0 )); do unset 'names[-1]'; done; echo "left ${#names[@]}"
