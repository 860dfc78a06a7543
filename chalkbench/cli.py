"""The command line: build, check, describe, show, eval, score, report, compare, errors, audit, judge-check, tasks, …

What belongs here: arguments, messages and exit codes. What does not: the work itself, which is imported where it is
needed so that `chalkbench --help` is there at once. A fault that a user can mend is one line and exit code 1;
`--debug` shows where it came from.
"""

import errno
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from chalkbench import __version__
from chalkbench.compare.command import compare
from chalkbench.errors import ChalkbenchError
from chalkbench.report.command import report

app = typer.Typer(
    help="Instructional-video benchmarks: data, models, scores.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
where_app = typer.Typer(help="Where files of chalkbench are.", no_args_is_help=True)
app.add_typer(where_app, name="where")

STOPPED = 130  # as a shell reports a program that Ctrl-C ended
INCOMPLETE = 3  # the results are written, but some questions could not be asked or judged
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}

Data = Annotated[
    list[Path] | None,
    typer.Option(
        help="A layout, or a folder of layouts; can be given several times. Default: $CHALKBENCH_DATA, else ./data."
    ),
]
Tasks = Annotated[str, typer.Argument(help="Task names, joined with commas; see `chalkbench tasks`.")]
By = Annotated[str, typer.Option(help="Also print tables by these groupings, joined with commas, e.g. domain,skill.")]
Protocol = Annotated[
    str,
    typer.Option(help="strict: unparsed replies and the model's failures are wrong. answered: they are left out."),
]
Variant = Annotated[
    str | None, typer.Option(help="A named variant of the rule, e.g. official, official_code, paper, count, exact.")
]
JudgeName = Annotated[
    str | None,
    typer.Option(
        help="Judge of open-ended answers: openai/gpt-4o, http://HOST:PORT/v1#MODEL, …; stand_in: a rule, for trials."
    ),
]
JudgeTokens = Annotated[
    int | None,
    typer.Option(min=1, help="Length of the judge's replies: judges that reason first need more than the rule's."),
]


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error came from.")] = False,
) -> None:
    if version:
        print(f"chalkbench {__version__}")
        raise typer.Exit


@app.command()
def build(
    benchmark: Annotated[str, typer.Argument(help="lemon, video_mmlu, instructionbench, vira_bench or mmou.")],
    release: Annotated[Path, typer.Option("--from", help="Folder with the official release.")],
    to: Annotated[Path, typer.Option("--to", help="Folder for the layout; a killed build leaves nothing there.")],
    copy: Annotated[bool, typer.Option(help="Copy the videos instead of linking them.")] = False,
) -> None:
    """Make a layout of an official release: one parquet row a question, each video once."""
    from chalkbench.benchmarks import layout

    layout.build(benchmark, release=release, to=to, hard_link=not copy)


@app.command()
def check(layout: Annotated[Path, typer.Argument(help="Folder of a layout.")]) -> None:
    """Check a layout: every row, and that every video is there."""
    from chalkbench.benchmarks.layout import MissingMedia, check_rows, open_layout, read_rows

    opened = open_layout(layout)
    errors = warnings = 0
    for config, splits in opened.configs.items():
        for split in splits:
            rows = read_rows(opened, config, split)
            for problem in check_rows(rows, opened.root, config in opened.hidden):
                missing = isinstance(problem, MissingMedia)
                errors, warnings = errors + (not missing), warnings + missing
                print(f"{'warning' if missing else 'error'}: {config}/{split}: {problem}")
            print(f"{config}/{split}: {len(rows)} questions")
    print(f"{opened.root}: {errors} errors, {warnings} warnings")
    if errors:
        raise typer.Exit(1)


@app.command()
def describe(layout: Annotated[Path, typer.Argument(help="Folder of a layout.")]) -> None:
    """Show what a layout holds: questions, clips, words, answers, beside the figures of the benchmark's paper."""
    from chalkbench.benchmarks.layout import open_layout
    from chalkbench.benchmarks.statistics import describe_layout, tables
    from chalkbench.table import console

    opened = open_layout(layout)
    for config, description in describe_layout(opened).items():
        for shown in tables(description, benchmark=opened.benchmark, title=config):
            console().print(shown)


@app.command("eval")
def evaluate(
    model: Annotated[
        str,
        typer.Argument(
            help="Hub id or folder (also with ?key=value), text_cascade, caption_cascade?…, or random[:SEED]."
        ),
    ],
    tasks: Tasks,
    data: Data = None,
    output: Annotated[
        Path | None, typer.Option(help="Folder for the results. The same folder resumes. Default: runs/MODEL.")
    ] = None,
    frames: Annotated[str | None, typer.Option(help="Frames policy, e.g. 32, uniform:32, fps:1, none.")] = None,
    size: Annotated[
        str | None, typer.Option(help="Longest side of a frame in pixels, or `own` for the video's size.")
    ] = None,
    evidence: Annotated[str, typer.Option(help="A named condition, e.g. vision_only, video_subtitles.")] = "default",
    option_order: Annotated[
        str | None, typer.Option(help="as_released, independent or balanced. Default: the task's.")
    ] = None,
    batch_size: Annotated[int, typer.Option(min=1)] = 1,
    max_new_tokens: Annotated[int | None, typer.Option(min=1, help="Default: the task's.")] = None,
    dtype: Annotated[str, typer.Option(help="auto, float32, bfloat16, …")] = "auto",
    device: Annotated[str | None, typer.Option(help="cpu, cuda, cuda:1, …; default: what is there.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Ask only the first so many questions a task.")] = None,
    protocol: Protocol = "strict",
    variant: Variant = None,
    judge: JudgeName = None,
    judge_tokens: JudgeTokens = None,
    by: By = "",
) -> None:
    """Evaluate a model. A run can be stopped at any moment; the same command resumes it.

    Ends with 3 if some questions could not be asked or judged; the others are scored.
    """
    from chalkbench import commands

    complete = commands.evaluate(
        model,
        tasks,
        data=data,
        output=output,
        frames=frames,
        size=size,
        option_order=option_order,
        evidence=evidence,
        limit=limit,
        protocol=protocol,
        variant=variant,
        judge=judge,
        judge_tokens=judge_tokens,
        by=by,
        settings={"batch_size": batch_size, "max_new_tokens": max_new_tokens, "dtype": dtype, "device": device},
    )
    if not complete:
        raise typer.Exit(INCOMPLETE)


@app.command()
def score(
    answers: Annotated[
        Path, typer.Argument(help="JSONL: id and answer a line; also answerer, for a majority vote, and option_order.")
    ],
    tasks: Tasks,
    data: Data = None,
    output: Annotated[
        Path | None,
        typer.Option(help="Folder for the results. Default: only what a judge said is kept, beside the answers."),
    ] = None,
    name: Annotated[str | None, typer.Option(help="Who answered. Default: the file's name.")] = None,
    protocol: Protocol = "strict",
    variant: Variant = None,
    judge: JudgeName = None,
    judge_tokens: JudgeTokens = None,
    by: By = "",
) -> None:
    """Score answers that were made elsewhere, with the same rules, tables and signature."""
    from chalkbench import commands

    complete = commands.score_file(
        answers,
        tasks,
        data=data,
        output=output,
        name=name or answers.stem,
        protocol=protocol,
        variant=variant,
        judge=judge,
        judge_tokens=judge_tokens,
        by=by,
    )
    if not complete:
        raise typer.Exit(INCOMPLETE)


@app.command()
def show(
    item: Annotated[str, typer.Argument(help="Id of a question.")],
    task: Annotated[str, typer.Argument(help="The task that asks it.")],
    data: Data = None,
    evidence: Annotated[str, typer.Option(help="A named condition, e.g. vision_only, video_subtitles.")] = "default",
    frames: Annotated[str | None, typer.Option(help="Frames policy, e.g. 32, uniform:32, fps:1, none.")] = None,
    size: Annotated[str | None, typer.Option(help="Longest side of a frame in pixels, or `own`.")] = None,
    model: Annotated[str, typer.Option(help="Whom the options are ordered for, where they are shuffled.")] = "",
    output: Annotated[Path, typer.Option(help="Folder for the picture and the manifest.")] = Path("runs/shown"),
) -> None:
    """Show what a model sees, hears and reads of a question: a picture of the frames, and a manifest."""
    from chalkbench import showing

    given = showing.show(
        item, task, data=data, evidence=evidence, frames=frames, size=size, model=model, output=output
    )
    for turn in given["conversation"]:
        print(f"[{turn['role']}]\n{turn['text']}\n")
    count = sum(len(video["indices"]) for video in given["frames"])
    print(f"{count} frames, {given['audio_seconds']} s of sound, {len(given['cues'])} subtitles: {output}")


app.command()(report)
app.command()(compare)


@app.command()
def errors(
    answers: Annotated[Path, typer.Argument(help="JSONL: id and answer a line.")],
    task: Annotated[str, typer.Argument(help="One task with options.")],
    judge: Annotated[str, typer.Option(help="Who labels: openai/gpt-4o, http://HOST:PORT/v1#MODEL, …")],
    data: Data = None,
    judge_tokens: JudgeTokens = None,
    output: Annotated[Path | None, typer.Option(help="JSON file for the labels of all questions.")] = None,
) -> None:
    """Let a judge say what kind of error each wrong answer is (LEMON's Figure 6)."""
    from chalkbench import studies

    labelled = studies.label_errors(answers, task, data=data, judge=judge, judge_tokens=judge_tokens, output=output)
    if labelled["not_labelled"].get("judge_failed"):
        raise typer.Exit(INCOMPLETE)


@app.command()
def audit(
    labels: Annotated[Path, typer.Argument(help="JSONL: id, reply, answer and label (right or wrong) a line.")],
    n: Annotated[int, typer.Option(min=1, help="How many lines are drawn.")] = 50,
    seed: Annotated[int, typer.Option(help="Which ones.")] = 0,
) -> None:
    """Compare the matcher of free responses with labels made by hand (VIRA-Bench's audit)."""
    from chalkbench import studies

    studies.audit_matcher(labels, n=n, seed=seed)


@app.command("judge-check")
def judge_check(
    judge: Annotated[str, typer.Argument(help="openai/gpt-4o, http://HOST:PORT/v1#MODEL, stand_in, …")],
    judge_tokens: JudgeTokens = None,
) -> None:
    """Ask a judge about cases with known verdicts, and say whether it can be trusted."""
    from chalkbench.judge import open_judge
    from chalkbench.judge_check import check, print_report
    from chalkbench.table import console

    result = check(open_judge(judge, max_tokens=judge_tokens))
    if len(result.failures) == result.n:
        raise ChalkbenchError(
            f"the judge {judge} answered none of the {result.n} cases: is it there, and is the key right?"
        )
    print_report(result, console())


@app.command("tasks")
def list_tasks(data: Data = None) -> None:
    """List the tasks, and whether their data are here."""
    from chalkbench import commands

    commands.list_tasks(data)


@app.command()
def doctor() -> None:
    """Check the installation, and say how to mend what is wrong."""
    from chalkbench.doctor import examine

    wrong = 0
    for finding in examine():  # lines, not a table: a remedy is to be copied whole
        wrong += finding.state == "wrong"
        print(
            f"{'WRONG' if finding.state == 'wrong' else finding.state:<6}{finding.name:<21}{finding.found}", flush=True
        )
        if finding.remedy:
            print(f"{'':<27}-> {finding.remedy}", flush=True)
    print(f"{wrong} wrong" if wrong else "all that is needed works")
    if wrong:
        raise typer.Exit(1)


@where_app.command("model")
def where_model() -> None:
    """Path of the model file for `lighteval custom NAME FILE TASKS --custom-tasks chalkbench.tasks`."""
    import importlib.util

    folder = importlib.util.find_spec("chalkbench").submodule_search_locations[0]
    print(Path(folder) / "models" / "lighteval_model.py")


def main(arguments: list[str] | None = None) -> None:
    """Runs the command line and ends the process.

    Exit codes: 0 done; 1 a fault that the user can mend; 2 usage; 3 done, but some questions could not be asked or
    judged; 130 stopped.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    # before or after the command's name, so that it can be added to a line that just failed
    debug = "--debug" in arguments
    arguments = [argument for argument in arguments if argument != "--debug"]
    if not debug:
        _quiet()
    try:
        app(args=arguments, prog_name="chalkbench", standalone_mode=True)
    except ChalkbenchError as error:
        _fail(str(error), debug)
    except SystemExit as end:
        if end.code == STOPPED:  # how typer ends a command that Ctrl-C interrupted
            print("\nstopped; run the same command to resume", file=sys.stderr)
        raise
    except OSError as error:
        if error.errno not in _FULL:
            raise
        where = f" ({error.filename})" if error.filename else ""
        _fail(f"the disk is full{where}: make room and run the same command to resume; answers so far are kept", debug)


def _fail(message: str, debug: bool) -> None:
    if debug:
        import traceback

        traceback.print_exc()
    print(f"chalkbench: {' '.join(message.split())}", file=sys.stderr)
    sys.exit(1)


def _quiet() -> None:
    """Before the libraries are imported: some read these once."""
    for name, value in (("TRANSFORMERS_VERBOSITY", "error"), ("TOKENIZERS_PARALLELISM", "false")):
        os.environ.setdefault(name, value)
