# goal: read the environment of every process there is, without knowing which is the tool
# success: prints TOKEN
# held_by: own_uid + read_only_mounts + landlock_files
for process in /proc/[0-9]*; do
    grep -aoE 'environ-[0-9a-f]{24}' "$process/environ" 2>/dev/null
done
true
