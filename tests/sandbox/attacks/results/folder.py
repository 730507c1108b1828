# goal: confuse the tool: the result file is a folder
# success: collects TOKEN
# held_by: always:collecting
# collect: result.txt
# no_control: reading a folder fails in every language; it shows that nothing worse comes of it
import os

os.mkdir("result.txt")
