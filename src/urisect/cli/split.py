"""`urisect split`: split references, one per line, into rows."""

from typing import Any

import click
from click.core import ParameterSource

from urisect.cli.conversion import convert_files, row_options
from urisect.cli.log_scan import exit_status
from urisect.cli.options import (
    combine_options,
    jobs_option,
    limit_option,
    reference_input_options,
    reject_options,
    specification_options,
    valid_list,
    where_option,
)
from urisect.logs.formats import LIST
from urisect.logs.input.files import STDIN

__all__ = ["split"]


@click.command(short_help="Split references into components.")
@combine_options(
    row_options,
    where_option(""""host LIKE '%.example.com'", or "scheme = 'http' AND port IS NOT NULL\""""),
    jobs_option,
    limit_option,
    click.option("--strict", is_flag=True, help="Reject invalid lines; --spec and --rule imply it."),
    specification_options,
    reject_options,
    reference_input_options,
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
    **options: Any,
) -> None:
    """Split references, one per line, into their five components, one row per line.

    Every line gives a row, in order; an empty line is an empty reference. Only a line over the limit gives no row, and
    is counted as skipped. NDJSON tells undefined components (null) from empty ones (""); TSV and CSV do so with --null.

    \b
    Examples:
      urisect split urls.txt --fields host,path
      urisect split urls.txt -o urls.parquet
      urisect split urls.txt --strict --rejects invalid.tsv

    The name after -o gives the format of the rows: .tsv, .csv, .ndjson, .jsonl, .parquet or .arrow. A further .gz or
    .zst compresses text.

    With --strict, only valid references give rows. Other lines are counted as rejected, and --rejects keeps them;
    `urisect check` explains what is wrong with them.

    Fields: scheme, authority, path, query, fragment (the default), userinfo, host, port, and reference, which is the
    whole line.
    """  # noqa: D301  click prints a paragraph that begins with a backspace as it is
    is_strict = strict or any(
        context.get_parameter_source(name) is not ParameterSource.DEFAULT for name in ("spec", "rule")
    )
    if not is_strict and (rejects_to or strict_exit):
        raise click.UsageError("--rejects and --strict-exit need --strict: without it no line is rejected.")
    format = valid_list(spec, rule) if is_strict else LIST
    scan, selected = convert_files(files or (STDIN,), format, rejects_to=rejects_to, quiet=quiet, **options)
    if not quiet:
        scan.print_counts(selected, has_outcomes=is_strict or selected is not None)
    context.exit(exit_status(scan.counts, complete=not scan.faults, strict=strict_exit))
