# goal: take the tool's files away: lower its limit of open ones
# success: signals tool
# held_by: own_uid + calls:other processes' limits
import json
import resource

resource.prlimit(json.load(open("target.json"))["tool"], resource.RLIMIT_NOFILE, (3, 900))
