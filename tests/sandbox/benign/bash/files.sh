# Files, folders, links, times, archives.
mkdir -p one/two && cd one
echo hello > two/a.txt && cp two/a.txt b.txt && ln -s two/a.txt link && ln b.txt hard
mv b.txt c.txt
find . | sort
[ -L link ] && readlink link; cat link hard
stat -c '%s %h' c.txt
touch -d '2024-02-29 12:00' two/a.txt && date -r two/a.txt '+%F %T'
tmp=$(mktemp) && echo temporary > "$tmp" && cat "$tmp" && rm "$tmp"
tar cf - two | gzip | gunzip | tar tf -
sha256sum c.txt | cut -c 1-16; cksum < c.txt
split -b 2 -d c.txt part. && ls part.* | wc -l && cat part.* | cmp - c.txt && echo same
du -b c.txt | cut -f 1; basename /a/b.c .c; dirname /a/b.c
find . -name 'part.*' -delete; ls
cp -p c.txt kept.txt && cp -a two copied && install -m 640 c.txt set.txt && chmod 600 c.txt && stat -c '%n %a' set.txt c.txt
date -r copied/a.txt +%F
