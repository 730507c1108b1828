# awk, sed, sort, cut, and what else shapes text.
cat > sales.csv <<'EOF'
north,pen,3
south,ink,10
north,ink,4
south,pen,1
EOF
awk -F, '{ total[$1] += $3 } END { for (r in total) print r, total[r] }' sales.csv | sort -k2,2nr
sort -t, -k3,3n sales.csv | cut -d, -f2,3 | head -n 2
sed -n -E 's/^(n[a-z]+),(.*),([0-9]+)$/\3 \2 \1/p; $a\
end' sales.csv
tr ',' '\n' < sales.csv | grep -E '^[a-z]{3}$' | sort | uniq -c | sed 's/^ *//'
printf '%-6s|%5.2f|%03d|%x\n' pen 1.5 7 255
join -t, <(sort sales.csv) <(printf 'north,N\nsouth,S\n') | tail -n 1
echo "a1b22c" | grep -o '[0-9]\+' | paste -sd' '
printf 'b\na\nB\nA\n' | sort | tr '\n' ' '; echo
printf 'x\0y z\0' | xargs -0 -n 1 echo got
echo hello | rev; echo abc | od -An -tx1; printf 'one two' | fold -w 4; echo
date -u -d @951782400 '+%F %T %Z'; printf '%(%Y-%m-%d %H)T\n' 0
echo 'scale=20; 1/7' | awk '{ printf "%.10f\n", 1/7 }'
