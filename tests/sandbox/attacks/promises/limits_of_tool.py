# goal: change the limits of the tool
# success: says
# promise: signals
# held_by: calls:other processes' limits + own_uid
import json
import resource

tool = json.load(open("target.json"))["tool"]
as_they_are = resource.prlimit(tool, resource.RLIMIT_NOFILE)
resource.prlimit(tool, resource.RLIMIT_NOFILE, as_they_are)
print("ATTACK-SUCCEEDED set the tool's limit of open files")
