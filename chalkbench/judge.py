"""The judge: prompts go in, replies or typed failures come out, in order.

What belongs here: naming a judge, asking it with bounded concurrency and bounded retries, keeping every reply on
disk. What does not: wording and settings (`chalkbench.scoring`, a module a rule) and what a reply means
(`chalkbench.scoring.verdicts`). A failure is a value in the result, counted there, and never a grade.
"""

import asyncio
import random
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tqdm import tqdm

from chalkbench.judge_cache import Cache, Kept, open_cache
from chalkbench.judge_models import Asker, Reply, Unanswered, address, open_model
from chalkbench.scoring.judge_prompts import Prompt, Settings, Template
from chalkbench.scoring.outcome import JUDGE_FAILED
from chalkbench.scoring.stand_in import STAND_IN_ID, stand_in_reply

__all__ = ["STAND_IN", "Judge", "Reply", "open_judge"]

STAND_IN = "stand_in"
CONCURRENCY = 32
MAX_RETRIES = 6
TIMEOUT = 60.0
MAX_WAIT = 60.0
# So many failures with no reply between them: the judge is gone, and asking on would take hours to say the same.
GIVE_UP_AFTER = 64


@dataclass
class Judge:
    """A judge that can be asked. Made by `open_judge`.

    id: the name that stands in signatures and keys the cache.
    served: the model names that the server has reported so far, kept replies included.
    """

    id: str
    asker: Asker = field(repr=False)
    cache: Cache = field(repr=False)
    concurrency: int = CONCURRENCY
    max_retries: int = MAX_RETRIES
    max_tokens: int | None = None
    takes_top_k: bool = True
    served: set[str] = field(default_factory=set)

    def effective(self, settings: Settings) -> Settings:
        """The settings as they are really sent.

        Top-p and top-k are dropped where they have no effect (temperature 0; some servers refuse a top-k) and where
        there is no way to send them; `max_tokens` of `open_judge` comes before the rule's.
        """
        greedy = settings.temperature == 0
        return replace(
            settings,
            top_p=None if greedy else settings.top_p,
            top_k=None if greedy or not self.takes_top_k else settings.top_k,
            max_tokens=self.max_tokens or settings.max_tokens,
        )

    def describe(self, template: Template, settings: Settings) -> dict[str, Any]:
        """Who was asked what, and how: for the results file and the signature."""
        return {
            "judge": self.id,
            "served": sorted(self.served),
            "settings": str(self.effective(settings)),
            "prompt": template.name,
            "prompt_hash": str(template),
            "prompt_source": template.source,
        }

    def ask(self, prompts: Sequence[Prompt], *, progress: bool = True) -> list[Reply]:
        """One reply a prompt, in order. Equal prompts are asked once; kept replies are not asked again.

        Raises ChalkbenchError only if the cache cannot be written.
        """
        prompts = [replace(prompt, settings=self.effective(prompt.settings)) for prompt in prompts]
        keys = [prompt.key(self.id) for prompt in prompts]
        replies = {key: _kept(kept) for key in keys if (kept := self.cache.get(key)) is not None}
        todo = {key: prompt for key, prompt in zip(keys, prompts, strict=True) if key not in replies}
        if todo:
            with tqdm(total=len(todo), desc=f"judge {self.id}", unit="reply", disable=not progress) as bar:
                replies |= _run(self._ask_all(todo, _stepper(bar)))
        self.served |= {reply.served for reply in replies.values() if reply.served}
        return [replies[key] for key in keys]

    async def _ask_all(self, todo: Mapping[str, Prompt], done: Callable[[Reply], None]) -> dict[str, Reply]:
        replies: dict[str, Reply] = {}
        state = _State()
        queue = iter(todo.items())

        async def work() -> None:
            for key, prompt in queue:
                replies[key] = reply = await self._ask_one(prompt, state)
                if reply.status is None:
                    self.cache.put(key, Kept(judge=self.id, text=reply.text or "", served=reply.served, cut=reply.cut))
                done(reply)

        await asyncio.gather(*(work() for _ in range(min(self.concurrency, len(todo)))))
        return replies

    async def _ask_one(self, prompt: Prompt, state: "_State") -> Reply:
        if state.failures >= GIVE_UP_AFTER:
            return _failed(f"not asked after {state.failures} failures in a row; the last one: {state.last}")
        for attempt in range(self.max_retries + 1):
            await state.rest()
            try:
                reply = await self.asker(prompt)
            except Unanswered as fault:
                state.last = str(fault)
                if not fault.again:
                    break
                if fault.wait is not None:
                    state.hold(min(fault.wait, MAX_WAIT))
                if attempt < self.max_retries:
                    await asyncio.sleep(min(MAX_WAIT, 2.0**attempt * random.uniform(0.75, 1.25)))
            else:
                state.failures = 0
                return reply
        state.failures += 1
        return _failed(state.last)


@dataclass
class _State:
    """What the requests of one run share: failures in a row, what the last one said, and until when to hold."""

    failures: int = 0
    last: str = ""
    until: float = 0.0

    def hold(self, seconds: float) -> None:
        """No request goes out for so long: the server named a time after which it takes some again."""
        self.until = max(self.until, asyncio.get_running_loop().time() + seconds)

    async def rest(self) -> None:
        """Wait until requests may go out."""
        while (left := self.until - asyncio.get_running_loop().time()) > 0:
            await asyncio.sleep(left + random.uniform(0, 0.1))


def open_judge(
    spec: str,
    *,
    cache: Path | None = None,
    concurrency: int = CONCURRENCY,
    max_retries: int = MAX_RETRIES,
    timeout: float = TIMEOUT,
    max_tokens: int | None = None,
    name: str | None = None,
    api_key: str | None = None,
) -> Judge:
    """Open a judge.

    Parameters
    ----------
    spec: `stand_in` (compares words, offline; for demonstrations, never for results), `http://HOST:PORT/v1#MODEL` (any
        OpenAI-compatible server), or any model string of inspect-ai, such as `openai/gpt-4o` or `vllm/ORG/MODEL`.
    cache: file or folder for the replies; None keeps them in memory only.
    concurrency: requests in flight.
    max_retries: further attempts for one prompt, after 1, 2, 4 … seconds, at most 60.
    timeout: seconds for one attempt.
    max_tokens: length of a reply in place of the rule's own; needed by judges that reason before they answer.
    name: stands for the judge in signatures and in the cache, to pin a revision or to keep the cache when a server
        moves to another port.
    api_key: for the judge's host. An address gets the variable CHALKBENCH_JUDGE_KEY otherwise, a provider its own.

    Raises
    ------
    ChalkbenchError: the name is not understood, the provider's package or key is missing, the cache is unusable.
    """
    if concurrency < 1 or max_retries < 0 or timeout <= 0:
        raise ValueError(
            f"concurrency={concurrency}, max_retries={max_retries}, timeout={timeout}: expected >= 1, >= 0, > 0"
        )
    if spec == STAND_IN:
        return Judge(id=STAND_IN_ID, asker=_ask_stand_in, cache=Cache())
    where = address(spec)
    return Judge(
        id=name or where.id,
        asker=open_model(where, concurrency=concurrency, timeout=timeout, api_key=api_key),
        cache=open_cache(cache),
        concurrency=concurrency,
        max_retries=max_retries,
        max_tokens=max_tokens,
        takes_top_k=where.takes_top_k,
    )


async def _ask_stand_in(prompt: Prompt) -> Reply:
    return Reply(text=stand_in_reply(prompt))


def _failed(error: str) -> Reply:
    return Reply(text=None, status=JUDGE_FAILED, error=error)


def _kept(kept: Kept) -> Reply:
    return Reply(text=kept.text, served=kept.served, cut=kept.cut, cached=True)


def _stepper(bar: tqdm) -> Callable[[Reply], None]:
    failures = 0

    def step(reply: Reply) -> None:
        nonlocal failures
        failures += reply.status is not None
        bar.set_postfix_str(f"{failures} failed" if failures else "", refresh=False)
        bar.update()

    return step


def _run(work: Coroutine[Any, Any, dict[str, Reply]]) -> dict[str, Reply]:
    """The result of a coroutine, also where an event loop runs already (a notebook): there in a thread of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(asyncio.run, work).result()
