# goal: leave folders that their owner may not enter, so that they cannot be removed
# success: stays
# held_by: always:removing
# needs: user
import os

os.makedirs("a/b/c")
open("a/b/c/file", "w").write("x")
for path in ("a/b/c", "a/b", "a"):
    os.chmod(path, 0)
