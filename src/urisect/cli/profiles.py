"""The option `--profile`: which references have the same key."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from urisect.cli.options import Choice
from urisect.crawl import PROFILES

__all__ = ["profile_option"]

Command = TypeVar("Command", bound=Callable[..., Any])


def profile_option(help: str) -> Callable[[Command], Command]:
    """Make the option `--profile`."""
    return click.option("--profile", type=Choice(list(PROFILES)), default="request-1", show_default=True, help=help)
