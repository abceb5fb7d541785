"""One display of a run's progress: a live bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING

from foveal.eval.safe_text import visible
from foveal.serving.generation import Generation

if TYPE_CHECKING:
    from rich.progress import Progress as Bars

SECONDS_BETWEEN_LINES = 10.0
MAX_LINE = 500


class Progress:
    """Counts what is generated and graded; `with progress:` shows it while the run goes on."""

    def __init__(self, num_total: int) -> None:
        self.num_total = num_total
        self.num_generated = 0
        self.num_graded = 0
        self.num_tokens = 0
        self._num_generated_before = 0
        self._started = time.monotonic()
        self._line_due = 0.0
        self._bars: Bars | None = _bars(num_total) if sys.stderr.isatty() else None

    def __enter__(self) -> Progress:
        self._started = time.monotonic()
        if self._bars:
            self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._show(last=True)
        if self._bars:
            self._bars.stop()

    def resume(self, *, num_generated: int, num_graded: int) -> None:
        """Start from what an earlier call has done; its work counts as done and not as this call's speed."""
        self.num_generated = self._num_generated_before = num_generated
        self.num_graded = num_graded
        self._show()

    def generated(self, generation: Generation) -> None:
        """One more answer."""
        self.num_generated += 1
        self.num_tokens += generation.num_completion_tokens
        self._show()

    def graded(self) -> None:
        """One more score."""
        self.num_graded += 1
        self._show()

    def fault(self, message: str) -> None:
        """Something of ours failed: say so at once."""
        self.say(f"fault: {message}")

    def say(self, line: str) -> None:
        """One line that stays, on whatever is shown; text of a problem or a model cannot steer the terminal."""
        line = visible(line, MAX_LINE)
        if self._bars:
            self._bars.console.print(line, markup=False, highlight=False)
        else:
            print(line, file=sys.stderr, flush=True)

    def line(self) -> str:
        """The state in one line: generated, judged, tokens/s, time left."""
        return (
            f"generated {self.num_generated}/{self.num_total}  judged {self.num_graded}/{self.num_total}  "
            f"{self._tokens_per_second():.0f} tokens/s  left {_clock(self._seconds_left())}"
        )

    def _show(self, *, last: bool = False) -> None:
        if self._bars:
            generated, graded = self._bars.task_ids
            rate = f"{self._tokens_per_second():.0f} tokens/s"
            self._bars.update(generated, completed=self.num_generated, rate=rate)
            self._bars.update(graded, completed=self.num_graded)
            return
        now = time.monotonic()
        if last or now >= self._line_due:
            self._line_due = now + SECONDS_BETWEEN_LINES
            self.say(self.line())

    def _tokens_per_second(self) -> float:
        return self.num_tokens / max(time.monotonic() - self._started, 1e-9)

    def _seconds_left(self) -> float | None:
        done = self.num_generated - self._num_generated_before
        if done == 0:
            return None
        return (time.monotonic() - self._started) / done * (self.num_total - self.num_generated)


@contextmanager
def row_progress(done_word: str) -> Iterator[Callable[[int, int], None]]:
    """A callback for rows done and rows in all: a bar on a terminal, a line now and then elsewhere."""
    if sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import Progress as Bars

        with Bars(console=Console(stderr=True)) as bars:
            task = bars.add_task(done_word, total=None)
            yield lambda done, total: bars.update(task, completed=done, total=total)
        return
    due = time.monotonic() + SECONDS_BETWEEN_LINES

    def show(done: int, total: int) -> None:
        nonlocal due
        if done == total or time.monotonic() >= due:
            due = time.monotonic() + SECONDS_BETWEEN_LINES
            print(f"{done_word} {done}/{total}", file=sys.stderr, flush=True)

    yield show


def _bars(num_total: int) -> Bars:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    bars = Progress(
        TextColumn("{task.description:9}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    )
    bars.add_task("generated", total=num_total, rate="")
    bars.add_task("judged", total=num_total, rate="")
    return bars


def _clock(seconds: float | None) -> str:
    return "?" if seconds is None else f"{int(seconds) // 60}:{int(seconds) % 60:02d}"
