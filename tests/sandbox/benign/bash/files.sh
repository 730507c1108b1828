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
