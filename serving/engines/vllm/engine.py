"""vLLM's `AsyncLLM` behind the engine seam: many requests in flight, a bad one fails alone, a dead engine says so."""

from __future__ import annotations

import asyncio
import os
import time
from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from foveal.serving.engines.vllm.ranking import Ranking, rank
from foveal.serving.engines.vllm.root_cause import RootCause, note_failures
from foveal.serving.generation import EngineDead, FinishReason, Request, Turn
from foveal.serving.messages import Image
from foveal.serving.models.config import ModelConfig, resolve_model
from foveal.serving.prompts import Prompt, render

if TYPE_CHECKING:
    from PIL.Image import Image as PILImage

CPU_KV_CACHE_BYTES = 2 * 1024**3
# vLLM ends a request with "error" where its engine has not the picture that this process believes it has (one of a
# request that was refused as too long, say), and then forgets that belief: sent again, the picture goes along.
MAX_TRIES = 5
HEARTBEAT_SECONDS = 5.0
FINISH_REASONS: dict[str, FinishReason] = {"stop": "stop", "length": "length", "repetition": "repetition"}


class VLLMEngine:
    """One vLLM engine in processes of its own.

    Greedy output depends on the request alone, up to floating point: the model's sampling defaults are not read.
    `max_tokens` beyond the end of the context ends there with `finish_reason="length"`; a prompt that leaves no room
    for one token, or a picture that cannot be decoded, is an `error` of that request.
    """

    def __init__(self, config: ModelConfig) -> None:
        """Load the model; seconds to minutes. Raises `ValueError` in one line when vLLM cannot serve it."""
        os.environ.setdefault("VLLM_LOGGING_LEVEL", "WARNING")
        os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")
        self._config = config
        self._engine_kwargs = engine_kwargs(config)
        self._root_cause = RootCause()
        self._llm: Any = _start(config, self._engine_kwargs, self._root_cause)
        self._stop_token_ids = _stop_token_ids(self._llm.get_tokenizer(), config)

    async def generate(self, request: Request) -> Turn:
        """Continue one conversation. Never raises for a fault of the request; raises `EngineDead` for its own."""
        from vllm.exceptions import VLLMClientError
        from vllm.v1.engine.exceptions import EngineDeadError, EngineGenerateError

        started = time.perf_counter()
        prompt = Prompt(text="", images=(), num_images_dropped=0)
        try:
            prompt = render(request.messages, self._config)
            pictures = await asyncio.to_thread(_decoded, prompt.images)
            turn = await self._answer(request, prompt, pictures)
        except EngineDeadError as error:
            raise self._dead() from error
        except EngineGenerateError as error:  # vLLM's word for "anything else": only its cause says what
            if self._llm.errored:
                raise self._dead() from error
            turn = _failed(request, prompt, error.__cause__ or error)
        except (ValueError, VLLMClientError) as error:
            turn = _failed(request, prompt, error)
        return replace(turn, seconds=time.perf_counter() - started)

    def _dead(self) -> EngineDead:
        return EngineDead(f"vLLM's engine process for {self._config.name} died{self._root_cause.sentence()}")

    async def _answer(self, request: Request, prompt: Prompt, pictures: list[PILImage]) -> Turn:
        run = partial(self._run, prompt, pictures)
        if request.candidates is None:
            return _written(request, prompt, await run(prompt.text, request.id, self._sampling(request)))
        encode = self._llm.get_tokenizer().encode  # safe to call while vLLM's own threads do
        return _ranked(
            request, prompt, await rank(request.id, prompt.text, request.candidates, self._config, encode, run)
        )

    async def _run(
        self, prompt: Prompt, pictures: list[PILImage], text: str, request_id: str, sampling: dict[str, Any]
    ) -> Any:
        """One pass over `text`, which begins with the prompt's own and has its pictures."""
        from vllm import SamplingParams
        from vllm.sampling_params import RequestOutputKind

        engine_prompt: dict[str, Any] = {"prompt": text}
        if pictures:
            engine_prompt["multi_modal_data"] = {"image": pictures}
            engine_prompt["multi_modal_uuids"] = {"image": [image.sha256 for image in prompt.images]}
        params = SamplingParams(**sampling, output_kind=RequestOutputKind.FINAL_ONLY)
        for _ in range(MAX_TRIES):
            outputs = await _outputs(self._llm, engine_prompt, params, request_id)
            reason = outputs[-1].outputs[0].finish_reason  # with FINAL_ONLY there is one
            if reason in FINISH_REASONS:
                return outputs[-1]
        raise ValueError(f"vLLM ended the request {MAX_TRIES} times: {reason}")

    def _sampling(self, request: Request) -> dict[str, Any]:
        from vllm.sampling_params import RepetitionDetectionParams

        repetition = self._config.repetition_detection
        return {
            **asdict(request.sampling),
            "stop": list(request.sampling.stop),
            "stop_token_ids": self._stop_token_ids,
            "repetition_detection": RepetitionDetectionParams(**repetition.model_dump()) if repetition else None,
        }

    def info(self) -> dict[str, Any]:
        """What runs here, for a run's manifest: engine, versions, device, model, what vLLM was given."""
        import torch
        import transformers
        import vllm
        from vllm.platforms import current_platform

        return {
            "engine": "vllm",
            "versions": {
                "vllm": vllm.__version__,
                "torch": torch.__version__,
                "transformers": transformers.__version__,
            },
            "device": current_platform.get_device_name(),
            "model": self._engine_kwargs["model"],
            "max_model_len": self._llm.model_config.max_model_len,
            "engine_kwargs": {key: value for key, value in self._engine_kwargs.items() if key != "model"},
        }

    async def shutdown(self) -> None:
        """Stop vLLM's processes and free the device."""
        llm, self._llm = self._llm, None  # freed here: its __del__ fails when the interpreter calls it at its own end
        if llm is not None:
            llm.shutdown(timeout=5.0)
        self._root_cause.forget()


def register_models() -> None:
    """Called by vLLM in each of its processes (entry point `vllm.general_plugins`)."""
    from vllm import ModelRegistry

    note_failures()
    ModelRegistry.register_model(
        "LlavaForConditionalGeneration", "foveal.serving.engines.vllm.llava:LlavaForConditionalGeneration"
    )


def engine_kwargs(config: ModelConfig) -> dict[str, Any]:
    """What `AsyncEngineArgs` is given: our defaults, this machine's, then the config's own on top.

    Tensor parallelism is over `gpus_per_replica`, within a node, by vLLM's `mp` executor (its ray executor deadlocks in
    an actor that already holds the GPUs). Raises `ValueError` for a model that is not there.
    """
    kwargs: dict[str, Any] = {
        "model": resolve_model(config),
        "revision": config.revision,
        "seed": 0,
        "generation_config": "vllm",  # the model's own could set a temperature; its end tokens are read all the same
        "disable_log_stats": True,
        **_for_this_machine(config),
        **config.engine_kwargs,
    }
    if config.modality == "vision":
        num_images = {"all": config.max_images, "first": 1, "none": 0}[config.image_policy]
        kwargs["limit_mm_per_prompt"] = {"image": num_images, **kwargs.get("limit_mm_per_prompt", {})}
    return kwargs


def _for_this_machine(config: ModelConfig) -> dict[str, Any]:
    from vllm.platforms import current_platform

    if current_platform.is_cpu():
        _set_up_cpu()
        # Compiling for CPUs takes minutes and made a 135M model at most a quarter faster.
        # With chunked prefill a request that has a seed kills the worker: "CPU Generator does not use offset".
        return {
            "dtype": "float32",
            "kv_cache_memory_bytes": CPU_KV_CACHE_BYTES,
            "enforce_eager": True,
            "enable_chunked_prefill": False,
        }
    if config.gpus_per_replica > 1:
        return {"tensor_parallel_size": config.gpus_per_replica, "distributed_executor_backend": "mp"}
    return {}


def _set_up_cpu() -> None:
    """Before vLLM's own modules are imported, here and in its processes, which have this environment."""
    os.environ.setdefault("VLLM_CPU_OMP_THREADS_BIND", "auto")
    # vLLM has a few functions compiled in spite of `enforce_eager`: that needs a C++ compiler, and takes longer than it
    # saves here.
    os.environ.setdefault("TORCHDYNAMO_DISABLE", "1")
    os.environ.pop("OMP_NUM_THREADS", None)  # Ray sets it to 1 in every actor, which would leave the other cores idle


def _start(config: ModelConfig, kwargs: dict[str, Any], root_cause: RootCause) -> Any:
    from vllm.engine.arg_utils import AsyncEngineArgs
    from vllm.v1.engine.async_llm import AsyncLLM

    for variable in [name for name in os.environ if name.startswith("VLLM_DP_")]:
        del os.environ[variable]  # left by a launcher: it would make this engine wait for others
    try:
        return AsyncLLM.from_engine_args(AsyncEngineArgs(**kwargs))
    except Exception as error:
        why = f"{_one_line(error)}{root_cause.sentence()}"
        root_cause.forget()
        raise ValueError(f"vLLM cannot start {config.name} from {kwargs['model']}: {why}") from error


def _stop_token_ids(tokenizer: Any, config: ModelConfig) -> list[int]:
    """A checkpoint whose files forgot how its turns end would write the user's next turn too."""
    vocabulary = tokenizer.get_vocab()
    return [vocabulary[token] for token in config.family_.end_tokens if token in vocabulary]


def _decoded(images: tuple[Image, ...]) -> list[PILImage]:
    return [image.open() for image in images]


async def _outputs(llm: Any, engine_prompt: dict[str, Any], params: Any, request_id: str) -> list[Any]:
    """What vLLM has to say; it waits for ever on an engine process that dies before it answered the first request."""
    from vllm.v1.engine.exceptions import EngineDeadError

    async def outputs() -> list[Any]:
        return [output async for output in llm.generate(engine_prompt, params, request_id=request_id)]

    task = asyncio.create_task(outputs())
    try:
        while not (await asyncio.wait({task}, timeout=HEARTBEAT_SECONDS))[0]:
            if llm.errored:
                raise EngineDeadError
        return task.result()
    finally:
        task.cancel()


def _written(request: Request, prompt: Prompt, output: Any) -> Turn:
    answer = output.outputs[0]
    return Turn(
        id=request.id,
        text=answer.text,
        finish_reason=FINISH_REASONS[answer.finish_reason],
        num_prompt_tokens=len(output.prompt_token_ids),
        num_completion_tokens=len(answer.token_ids),
        **_of_prompt(prompt),
    )


def _ranked(request: Request, prompt: Prompt, ranking: Ranking) -> Turn:
    return Turn(
        id=request.id,
        text=ranking.likeliest,
        finish_reason="stop",
        num_prompt_tokens=ranking.num_prompt_tokens,
        candidates=ranking.candidates,
        candidate_logprobs=ranking.logprobs,
        candidate_mean_logprobs=ranking.mean_logprobs,
        candidate_num_tokens=ranking.num_tokens,
        **_of_prompt(prompt),
    )


def _failed(request: Request, prompt: Prompt, error: BaseException) -> Turn:
    return Turn(id=request.id, text="", finish_reason="error", error=_one_line(error), **_of_prompt(prompt))


def _of_prompt(prompt: Prompt) -> dict[str, Any]:
    return {
        "prompt": prompt.text,
        "num_images": len(prompt.images),
        "num_images_dropped": prompt.num_images_dropped,
    }


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:500] or type(error).__name__
