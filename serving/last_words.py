"""Why an actor ended itself, for those whose calls died with it: Ray tells them only that its process is gone.

The words are in the store of the Ray cluster, under the actor's id, until the engine of that actor's next process
runs.
"""

from __future__ import annotations

from typing import Any

NAMESPACE = b"foveal-last-words"
MAX_CHARS = 500


def leave_last_words(words: str) -> bool:
    """Say, in an actor, why it is about to end. False outside an actor: there is nobody to tell."""
    actor_id = _own_id()
    if actor_id is None:
        return False
    from ray.experimental.internal_kv import _internal_kv_put

    _internal_kv_put(actor_id, words[:MAX_CHARS].encode(errors="backslashreplace"), namespace=NAMESPACE)
    return True


def forget_last_words() -> None:
    """Called by an actor's new process once its engine runs: what its predecessor died of is not its own end."""
    actor_id = _own_id()
    if actor_id is not None:
        from ray.experimental.internal_kv import _internal_kv_del

        _internal_kv_del(actor_id, namespace=NAMESPACE)


def last_words(actor: Any) -> str | None:
    """What an actor that has just died said before; None if it said nothing."""
    from ray.experimental.internal_kv import _internal_kv_get

    words: bytes | None = _internal_kv_get(actor._actor_id.binary(), namespace=NAMESPACE)
    return words.decode() if words else None


def _own_id() -> bytes | None:
    """This actor's id; None in a process that is none."""
    import ray

    if not ray.is_initialized():
        return None
    actor_id = ray.get_runtime_context().get_actor_id()
    return bytes.fromhex(actor_id) if actor_id is not None else None
