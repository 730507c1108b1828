# What the standard library brings in C.
import base64
import bz2
import gzip
import hashlib
import hmac
import io
import lzma
import random
import struct
import uuid
import zipfile
import zlib

data = b"the same bytes, again and again. " * 1000
print(
    hashlib.sha256(data).hexdigest()[:32],
    hashlib.md5(data).hexdigest()[:16],
    hashlib.blake2b(data, digest_size=8).hexdigest(),
)
print(hmac.new(b"key", data, "sha1").hexdigest(), zlib.crc32(data))
for module in (gzip, bz2, lzma):
    print(module.__name__, module.decompress(module.compress(data)) == data)
archive = io.BytesIO()
with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
    file.writestr("a/b.txt", data)
print(zipfile.ZipFile(archive).read("a/b.txt") == data, base64.b85encode(b"hello"), struct.pack(">IhB", 1, -2, 3))
random.seed(42)
print(random.randint(1, 1000), random.sample(range(100), 5), uuid.uuid5(uuid.NAMESPACE_DNS, "example.org"))
print({"a", "b"} == {"b", "a"}, hash("a") == hash("a"), len(random.SystemRandom().randbytes(8)))
