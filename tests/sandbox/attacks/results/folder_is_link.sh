# goal: as link_to_secret, with a link in the middle of the path
# success: collects TOKEN
# held_by: always:collecting
# collect: out/secret.txt
folder=$(grep -o '"workspace": "[^"]*"' target.json | cut -d'"' -f4)
ln -s "$folder" out
