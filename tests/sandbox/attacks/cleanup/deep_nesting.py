# goal: leave 4,000 folders in one another: longer than any path, deeper than recursion goes
# success: stays
# held_by: always:removing
import os

for _ in range(4000):
    os.mkdir("deeper")
    os.chdir("deeper")
open("file", "w").write("x")
