# Children by fork and by multiprocessing, which talk through pipes.
import multiprocessing
import os
import signal


def square(connection):
    for number in iter(connection.recv, None):
        connection.send(number * number)


if __name__ == "__main__":
    fork = multiprocessing.get_context("fork")
    here, there = fork.Pipe()
    process = fork.Process(target=square, args=(there,))
    process.start()
    for number in range(4):
        here.send(number)
        print(here.recv(), end=" ")
    here.send(None)
    process.join()
    print(process.exitcode)
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        os.write(writing, b"from the child")
        os._exit(7)
    print(os.read(reading, 100), os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    if (child := os.fork()) == 0:
        signal.pause()
    os.kill(child, signal.SIGTERM)
    print(os.WTERMSIG(os.waitpid(child, 0)[1]))
