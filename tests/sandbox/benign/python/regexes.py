# Named groups, lookaround, substitution by a function, Unicode classes.
import re

LOG = """\
2024-02-29T23:59:59Z ERROR [db] timeout after 30s id=7f3a
2024-03-01T00:00:00Z INFO [web] ok id=00ff
bad line
2024-03-01T00:00:01Z WARN [web] slow 2.5s id=beef
"""
LINE = re.compile(r"^(?P<day>\d{4}-\d\d-\d\d)T\S+ (?P<level>[A-Z]+) \[(?P<part>\w+)\] .*id=(?P<id>[0-9a-f]{4})$", re.M)
for match in LINE.finditer(LOG):
    print(match["day"], match["level"], match["part"], int(match["id"], 16), match.span("id"))
print(re.sub(r"\b(\w)(\w*)", lambda m: m[1].upper() + m[2], "the élan of ångström"))
print(re.findall(r"(?<!\d)\d{3}(?!\d)", "1 22 333 4444 555"))
print(re.split(r"\s*[,;]\s*", "a , b;c ;d"))
print(re.fullmatch(r"(a+)+b", "a" * 20 + "c"))
