"""A report as Markdown and on the terminal; text that a model or a data set wrote is escaped."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from foveal.eval.metrics.rates import AVERAGE
from foveal.eval.reports.facts import CASE_AVERAGE, GenerationsSummary, Report
from foveal.eval.reports.judging_words import PUBLISHED_MATCHING
from foveal.eval.reports.table_formats import (
    NO_VALUE,
    category_row,
    category_table,
    for_terminal,
    interval,
    per_cent,
    render_table,
)
from foveal.eval.reports.table_formats import (
    as_markdown as table_markdown,
)
from foveal.eval.result_table import ResultTable
from foveal.eval.runs.canary import CanaryOutcome
from foveal.eval.safe_text import escape, markdown_table, visible
from foveal.judging.verdict import Verdict

NO_CASE_AVERAGE = (
    "Test-case average: not known, as a program was stopped at its first case that failed; "
    "foveal rejudge RUN --every-case runs the others."
)
MAX_LISTED = 20
MAX_NAMED, MAX_NAMED_CHARS, MAX_FAULT_CHARS = 5, 600, 1000


def print_report(report: Report, path: Path) -> None:
    """The table on the terminal, then what is missing, then where the report is."""
    from rich.console import Console

    console = Console()
    title = f"{title_of(report)} (%)"
    if report.tables:
        console.print(for_terminal(title, report.tables[0]))
    else:
        console.print(render_table(title, report.metrics, report.categories, report.short_names))
    for line in (*first_lines(report), *basis_lines(report)):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    console.print(f"report: {path}", markup=False, highlight=False, soft_wrap=True)


def paper_tables(report: Report) -> list[ResultTable]:
    """A table per metric in the layout of Tables 2 and 7 of the MMCode paper, one row for this run."""
    return [
        category_table(
            f"{name} (%)",
            report.categories,
            [category_row(report.model, report.section, estimates, report.categories)],
            report.short_names,
        )
        for name, estimates in report.metrics.items()
    ]


def title_of(report: Report) -> str:
    """The model, the benchmark, the setting and which problems, in plain text."""
    problems = f"; {report.selection}" if report.selection else ""
    return f"{report.model} on {report.benchmark}, {report.setting}{problems}"


def first_lines(report: Report) -> list[str]:
    """What speaks against the numbers, then what stands between the run and a whole score; they open the report."""
    published = [PUBLISHED_MATCHING] if report.is_published else []
    return [*canary_faults(report.canaries), *published, first_line(report)]


def basis_lines(report: Report) -> list[str]:
    """What the numbers rest on."""
    is_known = CASE_AVERAGE in report.metrics or report.tables or not report.runs_programs
    unknown = [] if is_known else [NO_CASE_AVERAGE]
    canaries = [canary_line(report.canaries)] if report.runs_programs else []
    return [*canaries, report.judging, *unknown]


def first_line(report: Report) -> str:
    """What stands between the run and a whole score, in plain text."""
    average = next(iter(report.metrics.values()))[AVERAGE]
    basis = f"Averages are over {_count(average.num_problems, 'problem')}."
    if report.tables and average.value is None:
        basis = "No average: a category has no answers that count."
    notes = " ".join([*_not_judgeable_note(report), basis, *_no_answer_note(report), *_notes(report.generations)])
    faults = [
        *([f"{len(report.missing)} of {report.num_expected} answers have no score"] if report.missing else []),
        *([f"{len(report.uncounted)} could not be judged and are not counted"] if report.uncounted else []),
    ]
    if faults:
        return f"INCOMPLETE: {'; '.join(faults)}. {notes}"
    return f"Complete: {_num_counted(report)} judged and counted. {notes}"


def _num_counted(report: Report) -> str:
    num_all = report.num_expected
    num_counted = num_all - report.verdicts.get(Verdict.NOT_JUDGEABLE, 0)
    if num_counted < num_all:
        return f"{num_counted} of {_count(num_all, 'answer')}"
    return f"{'all ' if num_all > 1 else ''}{_count(num_all, 'answer')}"


def _not_judgeable_note(report: Report) -> list[str]:
    num_problems = len(report.not_judgeable)
    return [f"Not judgeable, and in no average: {_count(num_problems, 'problem')}."] if num_problems else []


def _no_answer_note(report: Report) -> list[str]:
    """Answers that say nothing are wrong, and tell more of how a model was asked than of what it knows."""
    number, cut = report.num_no_answer, report.num_no_answer_cut
    if not number:
        return []
    of_them = f", {cut} of them cut at the token limit" if cut else ""
    lack = "with no option chosen" if report.tables else "in which no answer was found"
    return [f"{_count(number, 'answer')} {lack}, counted as wrong{of_them}."]


def _notes(summary: GenerationsSummary) -> list[str]:
    """What is in the score and says more of the set-up than of the model."""
    failed, cut = sum(summary.errors.values()), summary.finish_reasons.get("length", 0)
    notes = []
    if failed:
        notes.append(f"{_count(failed, 'request')} failed in the engine, counted as wrong.")
    if cut:
        notes.append(f"{_count(cut, 'answer')} cut at the token limit.")
    return notes


def canary_faults(canaries: CanaryOutcome) -> list[str]:
    """What the reference solutions say against the scores; it stands above everything else."""
    lines = []
    if canaries.unfair:
        lines.append(
            f"UNFAIR MACHINE: {_count(len(canaries.unfair), 'reference solution')} failed among the answers and passed "
            f"alone, so right answers may have failed too: {_named(canaries.unfair)}. Judge again where nothing else "
            "runs: foveal rejudge RUN --no-cache."
        )
    if canaries.rejected:
        lines.append(
            f"REJECTED: {_count(len(canaries.rejected), 'reference solution')} not accepted, alone either: the data or "
            f"the judge are wrong about {_named(canaries.rejected)}. See foveal data validate."
        )
    return lines


def canary_line(canaries: CanaryOutcome) -> str:
    """How many reference solutions were accepted."""
    if not canaries.num_canaries:
        return "No reference solution was judged among the answers."
    return (
        f"{canaries.num_accepted} of {_count(canaries.num_canaries, 'reference solution')}, judged among the answers, "
        "accepted."
    )


def _named(verdicts: Mapping[str, str]) -> str:
    named = [f"{name} ({verdict})" for name, verdict in itertools.islice(verdicts.items(), MAX_NAMED)]
    more = [f"{len(verdicts) - MAX_NAMED} more"] if len(verdicts) > MAX_NAMED else []
    return visible(", ".join([*named, *more]), MAX_NAMED_CHARS)


def as_markdown(report: Report) -> str:
    """The report for people."""
    sections = [
        *(f"**{escape(line, MAX_FAULT_CHARS)}**" for line in first_lines(report)),
        *(escape(line, MAX_FAULT_CHARS) for line in basis_lines(report)),
        f"# {escape(title_of(report))}",
        *map(table_markdown, report.tables if report.tables else paper_tables(report)),
        _estimates_section(report) if len(report.metrics) > 1 or not report.tables else "",
        _missing_section(report),
        _not_judgeable_section(report),
        _verdict_section(report),
        _generation_section(report.generations),
        "## What was run\n\n" + _pairs(("", ""), report.what_was_run, num_text_columns=2),
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def _estimates_section(report: Report) -> str:
    headings = ["", "problems", *(h for name in report.metrics for h in (escape(name), "95 % interval"))]
    names = (*report.categories, AVERAGE)
    rows = [[escape(report.short_names.get(name, name)), *_estimate_cells(report, name)] for name in names]
    note = (
        "Intervals are Wilson's with the number of problems as n: wider than need be for averages of fractions "
        "(test-case average, several samples). A problem with several categories counts in each of them and once in "
        "the average. "
        f"{NO_VALUE}: no problem, or fewer samples than k."
    )
    return f"## How sure\n\n{markdown_table(headings, rows)}\n\n{note}"


def _estimate_cells(report: Report, name: str) -> list[str]:
    estimates = [by_name[name] for by_name in report.metrics.values()]
    return [str(estimates[0].num_problems), *(c for e in estimates for c in (per_cent(e.value), interval(e)))]


def _missing_section(report: Report) -> str:
    lines = [
        *(f"{score_id}: {report.missing_reasons.get(score_id, 'no score yet')}" for score_id in report.missing),
        *(f"{score_id}: {reason}" for score_id, reason in report.uncounted.items()),
    ]
    if not lines:
        return ""
    more = [f"... and {len(lines) - MAX_LISTED} more, in report.json"] if len(lines) > MAX_LISTED else []
    return "## Missing or not counted\n\n" + "\n".join(f"- {escape(line)}" for line in [*lines[:MAX_LISTED], *more])


def _not_judgeable_section(report: Report) -> str:
    """All of them: each is a hole in the benchmark that the reader must be able to judge."""
    if not report.not_judgeable:
        return ""
    lines = (f"- {escape(f'{problem_id}: {reason}', 300)}" for problem_id, reason in report.not_judgeable.items())
    return "## Not judgeable\n\n" + "\n".join(lines)


def _verdict_section(report: Report) -> str:
    verdicts = _pairs(("verdict", "answers"), report.verdicts)
    errors = _pairs(("exception", "answers"), dict(list(report.error_classes.items())[:MAX_LISTED]))
    read_by = _pairs(("option read by", "answers"), report.read_by)
    return "## Verdicts\n\n" + "\n\n".join(part for part in (verdicts, errors, read_by) if part)


def _generation_section(summary: GenerationsSummary) -> str:
    images = f"{_count(summary.num_images, 'picture')} shown to the model"
    if summary.num_images_dropped:
        images += (
            f"; {summary.num_images_dropped} dropped in {_count(summary.num_shortened, 'prompt')} "
            "by the model's image policy"
        )
    lines = [
        f"{_count(summary.num_generations, 'answer')}: {summary.num_prompt_tokens} prompt tokens, "
        f"{summary.num_completion_tokens} completion tokens",
        images,
    ]
    if summary.num_asked_again:
        lines.append(f"{_count(summary.num_asked_again, 'answer')} asked again for the option")
    lines += [f"{_count(number, 'question')} ranked by the options' {what}" for what, number in summary.ranked.items()]
    parts = [
        "\n".join(f"- {escape(line)}" for line in lines),
        _pairs(("finish reason", "answers"), summary.finish_reasons),
        _pairs(("request failed with", "answers"), dict(list(summary.errors.items())[:MAX_LISTED])),
    ]
    return "## Generation\n\n" + "\n\n".join(part for part in parts if part)


def _pairs(headings: tuple[str, str], pairs: Mapping[str, Any], *, num_text_columns: int = 1) -> str:
    if not pairs:
        return ""
    rows = [[escape(name), escape(str(value))] for name, value in pairs.items()]
    return markdown_table(headings, rows, num_text_columns=num_text_columns)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
