# The standard streams by their names.
echo "to stdout" > /dev/stdout
echo "to stderr" > /dev/stderr
echo "as a descriptor" > /dev/fd/1
say() { echo "$@" | tee /dev/stderr; }
said=$(say twice)
echo "$said"
cat /dev/stdin
awk '{ print toupper($0) > "/dev/stderr" }' <<< word
echo last >> /dev/stdout
