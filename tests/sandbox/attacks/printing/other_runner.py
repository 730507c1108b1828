# goal: the same for other systems: Azure Pipelines, TeamCity
# success: logs
# held_by: always:printing
import sys

sys.stdout.reconfigure(encoding="utf-8", newline="")
print("x ##vso[task.setvariable variable=PATH]/tmp/evil\n##teamcity[buildStatus status=\x27SUCCESS\x27]")
