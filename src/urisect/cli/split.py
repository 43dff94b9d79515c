"""`urisect split`: a URI a line in, a row out."""

from typing import Any

import click
from click.core import ParameterSource

from urisect.cli.lines import input_options, option_group, reject_options, specification_options, valid_list
from urisect.cli.rows import convert, row_options
from urisect.cli.scanning import limit_option, volume_options
from urisect.logs import LIST
from urisect.logs.input.files import STDIN
from urisect.logs.input.format_selection import FormatSelection


@click.command(short_help="Split URIs, one a line, into components.")
@option_group(
    row_options,
    volume_options,
    limit_option,
    click.option("--strict", is_flag=True, help="Reject lines that are not valid; --spec and --rule imply it."),
    specification_options,
    reject_options,
    input_options,
)
@click.pass_context
def split(
    context: click.Context,
    /,
    files: tuple[str, ...],
    *,
    strict: bool,
    spec: str,
    rule: str,
    rejects_to: str | None,
    strict_exit: bool,
    quiet: bool,
    **choices: Any,
) -> None:
    """Split URIs, one a line, into their five components, one row a line.

    Every line gives a row, in order, whatever it holds; an empty line is an empty reference. Only a line over the limit
    gives none, and is counted as skipped. Undefined and empty components are told apart in ndjson (null and "") and,
    with --null, in TSV and CSV.

    The name after -o says how rows are written: .tsv, .csv, .ndjson, .jsonl, .parquet or .arrow. With .gz or .zst
    behind it, text is compressed.

    With --strict only a valid reference gives a row. Any other line is counted as rejected, and kept with --rejects;
    `urisect check` says what is wrong with it.

    Fields: scheme, authority, path, query, fragment (these five by default), userinfo, host, port, and reference,
    the whole line.
    """
    is_strict = strict or any(
        context.get_parameter_source(name) is not ParameterSource.DEFAULT for name in ("spec", "rule")
    )
    if not is_strict and (rejects_to or strict_exit):
        raise click.UsageError("--rejects and --strict-exit need --strict: without it no line is rejected.")
    format = valid_list(spec, rule) if is_strict else LIST
    scan, selected = convert(files or (STDIN,), FormatSelection(format), rejects_to=rejects_to, quiet=quiet, **choices)
    if not quiet and (is_strict or selected is not None or scan.totals.too_long):
        scan.report(selected)
    context.exit(scan.totals.status(strict=strict_exit))
