"""Wall and CPU time of judging: distinct prompts through `open_judge` to a server that takes one second a reply.

Run by hand: `python tests/perf/judge_throughput.py [--prompts N] [--concurrency C] [--latency S] [--cache]`. The
server speaks real HTTP in a process of its own, so that the CPU seconds are the client's alone. The bound is 1.3 times
the time that a client without any cost of its own would take (prompts / concurrency x latency). Exit code 1 above it.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BOUND = 1.3
VERDICT = "{'pred': 'yes', 'score': 5}"


async def _serve(latency: float) -> None:
    """Answers every POST with a verdict after `latency` seconds; prints its port, and at the end what it saw."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = next(
                    int(line.split(b":")[1])
                    for line in head.split(b"\r\n")
                    if line.lower().startswith(b"content-length")
                )
                await reader.readexactly(length)
                await asyncio.sleep(latency)
                writer.write(_response())
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def _response() -> bytes:
    message = {"role": "assistant", "content": VERDICT}
    body = json.dumps(
        {
            "id": "1",
            "object": "chat.completion",
            "created": 0,
            "model": "tiny",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }
    ).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def measure(*, prompts: int, concurrency: int, latency: float, kept: bool) -> tuple[float, float, int]:
    """Wall seconds, CPU seconds and failures of one run. kept: with the cache on disk."""
    from chalkbench.judge import open_judge
    from chalkbench.scoring.judged_qa import quiz_prompt

    command = [sys.executable, __file__, "--serve", "--latency", str(latency)]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server,
        tempfile.TemporaryDirectory() as folder,
    ):
        try:
            spec = f"http://127.0.0.1:{server.stdout.readline().strip()}/v1#tiny"
            judge = open_judge(spec, concurrency=concurrency, cache=Path(folder) if kept else None)
            questions = [quiz_prompt(f"Question {index}?", "An answer", "A reply") for index in range(prompts)]
            wall, cpu = time.perf_counter(), time.process_time()
            replies = judge.ask(questions, progress=False)
            return (
                time.perf_counter() - wall,
                time.process_time() - cpu,
                sum(reply.text != VERDICT for reply in replies),
            )
        finally:
            server.terminate()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--prompts", type=int, default=500)
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--latency", type=float, default=1.0, metavar="SECONDS")
    parser.add_argument("--cache", action="store_true", help="keep the replies on disk, as a run does")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        asyncio.run(_serve(options.latency))
        return
    wall, cpu, failed = measure(
        prompts=options.prompts, concurrency=options.concurrency, latency=options.latency, kept=options.cache
    )
    least = options.prompts / options.concurrency * options.latency
    print(
        f"{options.prompts} prompts, {options.concurrency} at once, {options.latency:g} s a reply: {wall:.2f} s wall, "
        f"{cpu:.2f} s CPU, {failed} failed; {wall / least:.3f} x {least:.2f} s, "
        f"bound {BOUND} x = {BOUND * least:.2f} s"
    )
    sys.exit(failed > 0 or wall > BOUND * least)


if __name__ == "__main__":
    main()
