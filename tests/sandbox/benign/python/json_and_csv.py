# Structured text, there and back.
import configparser
import csv
import io
import json
import xml.etree.ElementTree as ElementTree

value = {"name": "Zoë", "list": [1, 2.5, None, True], "nested": {"b": 1, "a": {"x": '\u2028\t"quoted"'}}}
text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
print(text.replace("\u2028", "<LS>"), json.loads(text) == value)
print(json.dumps({"a": [1, {"b": 2}]}, indent=2))
try:
    json.loads('{"a": }')
except json.JSONDecodeError as error:
    print(error.msg, error.pos)
out = io.StringIO()
csv.writer(out).writerows([["a", 'say "hi"', "x,y"], [1, "", "line\nbreak"]])
print(repr(out.getvalue()), list(csv.DictReader(io.StringIO("k,v\n1,a\n2,b\n"))))
root = ElementTree.fromstring("<a><b id='1'>x</b><b id='2'>&lt;y</b></a>")
print([(b.get("id"), b.text) for b in root.iter("b")])
ini = configparser.ConfigParser()
ini.read_string("[s]\nkey = 3\n")
print(ini.getint("s", "key"))
