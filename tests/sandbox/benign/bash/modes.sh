# modes: yes
# Copies that keep modes and times.
mkdir two && echo hello > two/a.txt && cp two/a.txt c.txt
touch -d '2024-02-29 12:00' two/a.txt
cp -p c.txt kept.txt && cp -a two copied && install -m 640 c.txt set.txt && chmod 600 c.txt && stat -c '%n %a' set.txt c.txt
date -r copied/a.txt +%F
