"""The group of commands. Its help names them all without importing any."""

from __future__ import annotations

from importlib import import_module
from typing import Final

import click

from sezzlee_py._version import __version__

_COMMANDS: Final = {
    "catalog": "List the tools of an application, with tags, counts and findings.",
    "show": "Show one tool: its card, its contract, and where it is declared.",
    "search": "Search as an agent would, and see why it found what it found.",
    "why": "Tell why a route is a tool or not, and who sees it.",
    "check": "Hold findings and tools to what was agreed; for CI.",
    "eval": "Measure search on queries with known answers.",
    "invoke": "Call one tool through the application, in process.",
    "stdio": "Serve the application to a desktop client over standard input and output.",
    "explore": "Open the explorer page of an application on loopback.",
}


class _LazyGroup(click.Group):
    """Imports a command when it is called or asked for its own help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        found: click.Command = import_module(f"sezzlee_py.cli.commands.{cmd_name}").command
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            from sezzlee_py.option_checks import near_name

            ctx.fail(f"there is no command {args[0]!r}{near_name(args[0], _COMMANDS)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="sezzlee")
def sezzlee() -> None:
    """See your application as an agent does.

    APP is module:attribute, such as shop.main:app; with --factory, the attribute is a function that
    returns the application. Exit codes: 0 fine, warnings included; 1 findings; 2 usage.
    """
