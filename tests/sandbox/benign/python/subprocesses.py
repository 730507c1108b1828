# Other programs, with pipes, an exit code, a time-out and a signal.
import shlex
import subprocess
import sys

print(subprocess.run(["sort", "-n"], input="10\n9\n100\n", capture_output=True, text=True, check=True).stdout.split())
print(subprocess.run("echo $((6 * 7)); exit 3", shell=True, stdout=subprocess.PIPE, text=True))
first = subprocess.Popen(["seq", "1000"], stdout=subprocess.PIPE)
second = subprocess.Popen(["wc", "-l"], stdin=first.stdout, stdout=subprocess.PIPE, text=True)
first.stdout.close()
print(int(second.communicate()[0]), first.wait(), second.returncode)
inner = subprocess.run(
    [sys.executable, "-c", "import sys; print(sys.stdin.read()[::-1])"], input="abc", text=True, capture_output=True
)
print(inner.stdout.strip(), repr(inner.stderr))
try:
    subprocess.run(["sleep", "5"], timeout=0.1)
except subprocess.TimeoutExpired as error:
    print(shlex.join(error.cmd), "took too long")
with subprocess.Popen(["sleep", "5"]) as process:
    process.terminate()
print(process.returncode)
