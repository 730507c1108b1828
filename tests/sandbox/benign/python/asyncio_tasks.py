# Coroutines, a queue, a semaphore, a time-out, a thread and a child process in an event loop.
import asyncio


async def square(number, slots):
    async with slots:
        await asyncio.sleep(0.001 * (5 - number))
        return number * number


async def produce(queue):
    for letter in "abc":
        await queue.put(letter)
    await queue.put(None)


async def main():
    slots = asyncio.Semaphore(3)
    print(await asyncio.gather(*(square(number, slots) for number in range(6))))
    queue = asyncio.Queue(1)
    producer = asyncio.create_task(produce(queue))
    letters = []
    while (letter := await queue.get()) is not None:
        letters.append(letter)
    await producer
    print(letters)
    try:
        await asyncio.wait_for(asyncio.Event().wait(), 0.05)
    except asyncio.TimeoutError:
        print("too late")
    print(await asyncio.to_thread(sum, range(1000)))
    process = await asyncio.create_subprocess_exec("tr", "a-z", "A-Z", stdin=-1, stdout=-1)
    print((await process.communicate(b"shout"))[0].decode(), process.returncode)


asyncio.run(main())
