"""Judges that are models: inspect-ai sends a prompt, this module says what one attempt came to.

What belongs here: naming a model for inspect-ai, and its replies and faults in our terms. What does not: retries,
concurrency and the cache (`judge.py`): inspect-ai's own retry without end, and its cache expires after a week, so both
are off here.
"""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from chalkbench.errors import ChalkbenchError
from chalkbench.scoring.judge_prompts import Prompt

KEY_VARIABLE = "CHALKBENCH_JUDGE_KEY"
# Providers through which top-k reaches the model: as a field of its own, or in the body of the request.
_TOP_K_FIELD = frozenset({"google", "hf"})
_TOP_K_BODY = frozenset({"openai-api", "vllm", "sglang"})
# What clients raise over a body that is no chat completion (other or cut-off JSON with status 200): it may pass.
_UNREADABLE = (ValueError, TypeError, LookupError, AttributeError)


@dataclass(frozen=True)
class Reply:
    """What came back for one prompt.

    text: the reply; None if there is none.
    status: None, or `judge_failed`; `error` then says what happened.
    served: the model name that the server reported ("" if none): shows a judge that was routed elsewhere.
    cached: read from the cache. cut: the reply ended at its token limit.
    """

    text: str | None
    status: str | None = None
    error: str = ""
    served: str = ""
    cached: bool = False
    cut: bool = False


class Unanswered(Exception):
    """One attempt failed. again: whether another may succeed; wait: seconds that the server asked for, or None."""

    def __init__(self, message: str, *, again: bool, wait: float | None = None) -> None:
        super().__init__(message)
        self.again = again
        self.wait = wait


@dataclass(frozen=True)
class Address:
    """A judge's name, taken apart.

    id: what stands in signatures. model: the name for inspect-ai. base_url: of an OpenAI-compatible server, or None.
    """

    id: str
    model: str
    base_url: str | None = None

    @property
    def provider(self) -> str:
        return self.model.split("/")[0]

    @property
    def takes_top_k(self) -> bool:
        """Whether top-k can be sent."""
        return self.provider in _TOP_K_FIELD | _TOP_K_BODY


def address(spec: str) -> Address:
    """`http://host:port/v1#model`, or any model string of inspect-ai (`provider/model`).

    Raises ChalkbenchError for anything else.
    """
    if spec.startswith(("http://", "https://")):
        parts = urlsplit(spec)
        if not parts.fragment or not parts.hostname:
            raise ChalkbenchError(f"judge {spec!r}: name the model behind a #, as in http://127.0.0.1:8000/v1#MODEL")
        path = parts.path.rstrip("/")
        host = parts.hostname + (f":{parts.port}" if parts.port else "") + (path if path != "/v1" else "")
        return Address(
            id=f"{parts.fragment}@{host}",
            model=f"openai-api/judge/{parts.fragment}",
            base_url=parts._replace(fragment="").geturl(),
        )
    provider, _, model = spec.partition("/")
    if not provider or not model:
        raise ChalkbenchError(
            f"judge {spec!r}: expected `stand_in`, provider/model as inspect-ai names it (openai/gpt-4o, "
            "vllm/Qwen/Qwen2.5-72B-Instruct), or http://HOST:PORT/v1#MODEL"
        )
    return Address(id=spec, model=spec)


def open_model(where: Address, *, concurrency: int, timeout: float, api_key: str | None) -> "ModelJudge":
    """Make the client (nothing is sent yet). Raises ChalkbenchError if inspect-ai cannot: unknown provider, no key."""
    hook = sys.excepthook
    try:
        from inspect_ai.model import GenerateConfig, get_model

        arguments: dict[str, Any] = {}
        if where.base_url:
            # A key for one host must not reach another: OPENAI_API_KEY is not used for an address.
            arguments = {"base_url": where.base_url, "api_key": api_key or os.environ.get(KEY_VARIABLE) or "none"}
        elif api_key:
            arguments = {"api_key": api_key}
        if where.provider in ("openai", "openai-api"):
            arguments["max_retries"] = 0  # the OpenAI client retries twice by itself, unseen
        if where.provider == "mockllm":
            arguments["custom_outputs"] = _mock_reply
        config = GenerateConfig(max_retries=0, max_connections=concurrency)
        model = get_model(where.model, config=config, memoize=False, **arguments)
    except Exception as fault:  # a provider's constructor may raise anything: its package, its key, its set-up
        raise ChalkbenchError(f"judge {where.id}: {getattr(fault, 'message', fault)}") from fault
    finally:
        sys.excepthook = hook  # inspect-ai puts its own there, for the whole process
    return ModelJudge(model=model, where=where, timeout=timeout)


def _mock_reply(messages: list[Any], tools: list[Any], tool_choice: Any, config: Any) -> Any:
    """mockllm's own text with the usage filled in: without it inspect-ai counts tokens and downloads a vocabulary."""
    from inspect_ai.model import ModelOutput, ModelUsage

    output = ModelOutput.from_content(model="mockllm", content="Default output from mockllm/model")
    output.usage = ModelUsage()
    return output


@dataclass
class ModelJudge:
    """Asks an inspect-ai model. timeout: seconds for one attempt."""

    model: Any
    where: Address
    timeout: float

    async def __call__(self, prompt: Prompt) -> Reply:
        """One attempt. Raises Unanswered if there is no reply."""
        from inspect_ai.log import Transcript
        from inspect_ai.log._transcript import init_transcript
        from inspect_ai.model import ChatMessageSystem, ChatMessageUser

        init_transcript(Transcript())  # else every exchange of the run stays in memory
        messages = [ChatMessageSystem(content=prompt.system)] if prompt.system else []
        try:
            async with asyncio.timeout(self.timeout):
                output = await self.model.generate(
                    [*messages, ChatMessageUser(content=prompt.user)], config=self._config(prompt)
                )
        except TimeoutError:
            raise Unanswered(f"no reply within {self.timeout:g} s", again=True) from None
        except Exception as fault:  # whatever a provider raises is a failure of the judge, by name
            raise self._unanswered(fault) from fault
        text = output.completion
        if not text.strip():
            raise Unanswered(
                f"empty reply (stop reason {output.stop_reason if output.choices else 'none'})", again=True
            )
        return Reply(text=text, served=output.model or "", cut=output.stop_reason == "max_tokens")

    def _config(self, prompt: Prompt) -> Any:
        from inspect_ai.model import GenerateConfig

        settings = prompt.settings
        extra: dict[str, Any] = {}
        if settings.top_k is not None:
            in_body = self.where.provider in _TOP_K_BODY
            extra = {"extra_body": {"top_k": settings.top_k}} if in_body else {"top_k": settings.top_k}
        return GenerateConfig(
            temperature=settings.temperature, top_p=settings.top_p, max_tokens=settings.max_tokens, **extra
        )

    def _unanswered(self, fault: Exception) -> Unanswered:
        # tenacity's RetryError: inspect-ai would have tried again, had it been allowed to
        attempt = getattr(fault, "last_attempt", None)
        cause = attempt.exception() if attempt is not None else fault
        decision = self.model.api.should_retry(cause) if attempt is not None else None
        lines = str(cause).strip().splitlines()
        message = f"{type(cause).__name__}: {lines[-1][:300] if lines else ''}"
        unreadable = isinstance(cause, _UNREADABLE)
        return Unanswered(
            f"the server's answer is no chat completion ({message})" if unreadable else message,
            again=attempt is not None or unreadable,
            wait=getattr(decision, "retry_after", None),
        )


Asker = Callable[[Prompt], Awaitable[Reply]]
