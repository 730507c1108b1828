# Text beyond ASCII, in and out.
import sys
import unicodedata

print("naïve café, 東京, 😀, Ωμέγα, שלום")
print(len("😀é"), "ß".upper(), "İ".lower().encode(), "straße".casefold() == "STRASSE".casefold())
print(unicodedata.normalize("NFD", "é").encode("utf-8"), unicodedata.name("→"), unicodedata.east_asian_width("京"))
print(sorted(["zebra", "Äpfel", "apple", "éclair"]), "".join(reversed("añb")))
print(sys.stdout.encoding, sys.getfilesystemencoding(), ascii("é😀"))
with open("schön.txt", "w") as file:
    file.write("ü")
import os

print(os.listdir(".").count("schön.txt"), open("schön.txt", "rb").read())
