"""Write the command reference and the man pages from the program itself: `python docs/reference.py`.

docs/reference/COMMAND.md and docs/man/massprops-COMMAND.1 for each command;
docs/reference/findings.md for the codes of findings, json.md for the keys of results, table.md for the columns of tables, engines.md for
the rules of simulators.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator
from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import Any

import massprops
from massprops import __version__
from massprops.checking.rules import FAMILIES, rules
from massprops.cli.app import COMMANDS, root
from massprops.cli.groups import CommandParameter, declarations
from massprops.diagnosis.engines import engines
from massprops.fleet.columns import COLUMNS, SCHEMA

DOCS = Path(__file__).resolve().parent
#: Exit code to what it means, as the README has it.
EXIT_CODES = {
    "0": "Done; no finding at or above `--fail-on` (error, by default).",
    "1": "Ran, and a check failed; of `check`, also a surface without a valid integral.",
    "2": "Usage error, or the results cannot be written.",
    "3": "A file could not be read or parsed; of `check`, also nothing to check.",
    "4": "The geometry has no valid integral, and no `--on-…` option says what to measure instead.",
    "70": "A defect in massprops (traceback on standard error).",
    "130": "Interrupted.",
}


@dataclass(frozen=True)
class Parameter:
    """An argument or option: its group, how it is written, and what it means."""

    group: str
    forms: str
    value: str
    help: str


@dataclass(frozen=True)
class Command:
    """A command as its help describes it."""

    name: str
    usage: str
    summary: str
    details: str
    parameters: list[Parameter]
    example: str

    def groups(self) -> Iterator[tuple[str, list[Parameter]]]:
        """Title and parameters of each group."""
        for group in dict.fromkeys(["Arguments", "Options", *(p.group for p in self.parameters)]):
            members = [p for p in self.parameters if p.group == group]
            if members:
                yield group, members


#: Options before the command that typer answers.
COMPLETION = [
    Parameter("Options", "--install-completion", "", "Install completion for the current shell."),
    Parameter(
        "Options",
        "--show-completion",
        "",
        "Show completion for the current shell, to copy it or customize the installation.",
    ),
]


def common() -> list[Parameter]:
    """The options of the program itself, given before the command."""
    return [*map(_parameter, declarations(root, is_root=True)), *COMPLETION]


def commands() -> list[Command]:
    """All commands, in the order of the help."""
    return [_command(name, entry) for name, entry in COMMANDS.items()]


def _command(name: str, entry: Any) -> Command:
    function, _ = entry.load()
    summary, _, details = inspect.cleandoc(function.__doc__).partition("\n\n")
    parameters = [*map(_parameter, declarations(function))]
    usage = " ".join(["massprops", name, "[OPTIONS]", *(p.forms for p in parameters if p.group == "Arguments")])
    return Command(name, usage, _one_line(summary), _one_line(details), parameters, f"massprops {entry.example}")


def _parameter(d: CommandParameter) -> Parameter:
    rules, default = d.field.metadata, d.field.default
    help_text = _one_line(rules["help"])
    if d.is_argument:
        return Parameter("Arguments", d.forms, "", help_text)
    if d.is_repeatable and "repeated" not in help_text:
        help_text += " May be repeated."
    if default not in (None, False, MISSING) and "[default" not in help_text:
        help_text += f" [default: {default}]"
    return Parameter(rules["panel"] or "Options", d.forms, d.placeholder, help_text)


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


# --- Markdown --------------------------------------------------------------------------------------------------------


def markdown(entry: Command) -> str:
    """The page of a command."""
    lines = [f"# massprops {entry.name}", "", entry.summary, ""]
    if entry.details:
        lines += [entry.details, ""]
    lines += ["```text", entry.usage, "```", ""]
    for group, parameters in entry.groups():
        title = {"Options": "General"}.get(group, group)
        lines += [f"## {title}", "", "| | |", "|---|---|"]
        lines += [*_rows(parameters), ""]
    if entry.example:
        lines += ["## Example", "", "```sh", entry.example, "```", ""]
    return "\n".join(lines)


def _rows(parameters: list[Parameter]) -> list[str]:
    return [f"| {_code(' '.join(filter(None, (p.forms, p.value))))} | {_cell(p.help)} |" for p in parameters]


def _code(text: str) -> str:
    return "`" + text.replace("|", "\\|") + "`"


def _cell(text: str) -> str:
    return re.sub(r"([|*<>_])", r"\\\1", text)


def index(entries: list[Command]) -> str:
    """The page that lists the commands and the exit codes."""
    lines = ["# Commands", "", "| command | |", "|---|---|"]
    lines += [f"| [`{e.name}`]({e.name}.md) | {_cell(e.summary)} |" for e in entries]
    lines += ["", "The same pages are installed as man pages: `man massprops-compute`."]
    lines += ["", "## Options before the command", "", "| | |", "|---|---|", *_rows(common())]
    lines += ["", "## Exit codes", "", "| code | meaning |", "|---|---|"]
    lines += [f"| {code} | {meaning} |" for code, meaning in EXIT_CODES.items()]
    lines += ["", "With several inputs, one bad file does not stop the others; the worst code is returned.", ""]
    lines += [
        "```{toctree}",
        ":hidden:",
        "",
        *(e.name for e in entries),
        "findings",
        "json",
        "table",
        "engines",
        "```",
        "",
    ]
    return "\n".join(lines)


def findings() -> str:
    """The page of all codes that a finding can have."""
    lines = [
        "# Findings",
        "",
        "Every code that a finding can have, by family; `massprops check --explain CODE` prints one of them, with an example.",
    ]
    for family, question in FAMILIES.items():
        lines += ["", f"## {family}", "", question, "", "| code | | |", "|---|---|---|"]
        lines += [
            f"| `{r.code}` | {_prose(r.short)} | {_prose(r.long)} |" for r in rules().values() if r.family == family
        ]
    return "\n".join([*lines, ""])


def _prose(text: str) -> str:
    return "".join(part if i % 2 else _cell(part) for i, part in enumerate(re.split(r"(`[^`]*`)", text)))


TITLES = {
    "result": "Result",
    "input": "Input",
    "inertia": "Inertia",
    "uncertainty": "Uncertainty",
    "standard_deviations": "Standard deviations",
    "stated_error": "Stated errors",
    "section": "Section",
    "finding": "Finding",
    "error": "Error",
    "part": "Part of an assembly",
    "report": "Report of check",
    "checked": "File of a report",
    "diff": "Comparison of diff",
    "change": "Change of a comparison",
    "relation": "Relation of a comparison",
    "explained": "Explanation of explain",
    "budget": "Mass budget",
    "budget_line": "Line of a mass budget",
    "filled": "Report of fill",
    "filled_link": "Link of a report of fill",
    "filled_body": "Numbers of a link, before or after",
    "sampled": "Manifest of sample",
    "sample": "Sample of a manifest",
    "sampled_body": "New numbers of a link",
}


def json_keys() -> str:
    """The page of the keys of results, from the schema."""
    definitions = json.loads((Path(massprops.__file__).with_name("schema.json")).read_text(encoding="utf-8"))["$defs"]
    lines = ["# JSON", "", "The keys of `--format json`, in SI units; `massprops schema` prints the JSON Schema."]
    lines += [
        "Of one file there is one object, of several one object per line. A key that does not apply is null; numbers are"
    ]
    lines += [
        "the shortest that round-trip, and never NaN or infinite. A file that is refused has an object with its error."
    ]
    for name, title in TITLES.items():
        lines += ["", f"## {title}", "", "| key | type | |", "|---|---|---|"]
        for key, kind in definitions[name].get("properties", {}).items():
            lines.append(f"| `{key}` | {_cell(_type(kind))} | {_cell(_one_line(kind.get('description', '')))} |")
    return "\n".join([*lines, ""])


def table() -> str:
    """The page of the columns of ``--output-table``."""
    words = {str: "text", int: "integer", float: "double"}
    lines = [
        "# Columns of tables",
        "",
        f"The columns of `compute --output-table`, version `{SCHEMA}`. Where a key of the",
    ]
    lines += [
        "[JSON result](json.md) is named, the column has its value: SI units, every digit. A value that does not apply is"
    ]
    lines += ["null in Parquet, empty in CSV and left out in JSON lines.", "", "| column | type | |", "|---|---|---|"]
    lines += [f"| `{name}` | {words[kind]} | {_prose(meaning)} |" for name, (kind, meaning) in COLUMNS.items()]
    return "\n".join([*lines, ""])


def simulators() -> str:
    """The page of the rules by which simulators take inertials."""
    lines = [
        "# Rules of simulators",
        "",
        "What `check --engine` computes by. Of an engine, the first rule holds whose formats have",
    ]
    lines += ["that of the file, and whose case is that of the link. A case without a rule is not known."]
    for engine in engines().values():
        lines += ["", f"## {engine.title}", "", *([] if engine.rules else ["No rule: no test can run it."])]
        lines += ["| formats | | takes | source |", "|---|---|---|---|"] if engine.rules else []
        lines += [
            f"| {', '.join(rule.formats)} | {_cell(rule.words)} | {rule.takes} | {_cell(rule.source)} |"
            for rule in engine.rules
        ]
    return "\n".join([*lines, ""])


def _type(kind: dict[str, Any]) -> str:
    if "$ref" in kind:
        return TITLES.get(kind["$ref"].rpartition("/")[2], "object").lower()
    if "const" in kind:
        return f"`{kind['const']}`"
    if "enum" in kind:
        return ", ".join("null" if word is None else f"`{word}`" for word in kind["enum"])
    for word in ("oneOf", "anyOf"):
        if word in kind:
            return " or ".join(dict.fromkeys(_type(one) for one in kind[word]))
    found = kind.get("type", "")
    if found == "array" and isinstance(kind.get("items"), dict):
        return f"list of {_type(kind['items'])}"
    return " or ".join(found) if isinstance(found, list) else str(found)


# --- man pages -------------------------------------------------------------------------------------------------------


def man(entry: Command, entries: list[Command]) -> str:
    """The man page of a command, in the man macros of roff."""
    lines = [
        _heading(f"massprops-{entry.name}"),
        ".SH NAME",
        f"massprops-{entry.name} \\- {_roff(entry.summary.rstrip('.'))}",
    ]
    lines += [".SH SYNOPSIS", f".B {_roff(entry.usage)}"]
    lines += [".SH DESCRIPTION", _roff(" ".join(filter(None, (entry.summary, entry.details))))]
    for group, parameters in entry.groups():
        lines.append(f".SH {_roff(group.upper())}" if group in ("Arguments", "Options") else f".SS {_roff(group)}")
        lines += _tagged(parameters)
    if entry.example:
        lines += [".SH EXAMPLES", ".nf", _roff(entry.example), ".fi"]
    return "\n".join([*lines, *_exit_status(), *_see_also(f"massprops-{entry.name}", entries), ""])


def _tagged(parameters: list[Parameter]) -> list[str]:
    lines = []
    for p in parameters:
        value = f" \\fI{_roff(p.value)}\\fR" if p.value else ""
        lines += [".TP", f"\\fB{_roff(p.forms)}\\fR{value}", _roff(p.help)]
    return lines


def man_index(entries: list[Command]) -> str:
    """The man page of the program."""
    summary = _one_line(root.__doc__ or "")
    lines = [_heading("massprops"), ".SH NAME", f"massprops \\- {_roff(summary.rstrip('.'))}"]
    lines += [".SH SYNOPSIS", ".B massprops [OPTIONS] \\fICOMMAND\\fR ..."]
    lines += [".SH OPTIONS", *_tagged(common()), ".SH COMMANDS"]
    for e in entries:
        lines += [".TP", f"\\fB{_roff(e.name)}\\fR", _roff(e.summary)]
    return "\n".join([*lines, *_exit_status(), *_see_also("massprops", entries), ""])


def _heading(name: str) -> str:
    return f'.TH {_roff(name.upper())} 1 "" "massprops {__version__}" "massprops"'


def _exit_status() -> list[str]:
    lines = [".SH EXIT STATUS"]
    for code, meaning in EXIT_CODES.items():
        lines += [".TP", f"\\fB{code}\\fR", _roff(meaning.replace("`", ""))]
    return lines


def _see_also(own: str, entries: list[Command]) -> list[str]:
    names = [n for n in ("massprops", *(f"massprops-{e.name}" for e in entries)) if n != own]
    return [".SH SEE ALSO", ", ".join(f"\\fB{_roff(n)}\\fR(1)" for n in names)]


def _roff(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga").replace("'", "\\(aq")
    text = "".join(c if ord(c) < 128 else f"\\[u{ord(c):04X}]" for c in text)
    return "\\&" + text if text.startswith(".") else text


# --- files -----------------------------------------------------------------------------------------------------------


def files() -> dict[Path, str]:
    """Every file that this script writes, with its text."""
    entries = commands()
    found = {
        DOCS / "reference" / "index.md": index(entries),
        DOCS / "reference" / "findings.md": findings(),
        DOCS / "reference" / "json.md": json_keys(),
        DOCS / "reference" / "table.md": table(),
        DOCS / "reference" / "engines.md": simulators(),
    }
    found |= {DOCS / "reference" / f"{e.name}.md": markdown(e) for e in entries}
    found |= {DOCS / "man" / f"massprops-{e.name}.1": man(e, entries) for e in entries}
    return found | {DOCS / "man" / "massprops.1": man_index(entries)}


def main() -> None:
    """Write the files; those that no command has any more are deleted."""
    texts = files()
    for folder in ("reference", "man"):
        (DOCS / folder).mkdir(exist_ok=True)
        for old in sorted({*(DOCS / folder).iterdir()} - texts.keys()):
            old.unlink()
            print(f"{old}: deleted")
    for path, text in texts.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"{path}: updated")


if __name__ == "__main__":
    main()
