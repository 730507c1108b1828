# Pipes, here-documents, redirections, exit codes.
set -o pipefail
seq 1 100 | grep -v 7 | awk '{ sum += $1 } END { print NR, sum }'
cat <<EOF | tr a-z A-Z
home is $([ "$HOME" = "$PWD" ] && echo here), $((2 ** 10))
EOF
cat <<'EOF'
not $expanded `here`
EOF
read -r a b <<< "one two three"
echo "$b|$a"
{ echo out; echo err >&2; } 2>&1 | sort
false | true
echo "status $? ${PIPESTATUS[*]}"
ls nowhere 2> /dev/null || echo "missing: $?"
exec 3> three.txt; echo "to three" >&3; exec 3>&-
wc -c < three.txt
yes | head -n 3 | paste -sd+
echo "${PIPESTATUS[0]}"
