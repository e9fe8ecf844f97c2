"""What commands share: the APP argument, `--json`, headers, and who owns standard output."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import click

from sezzlee_py.cli.console import Console, claimed_stdout
from sezzlee_py.cli.failure import Failure, NotServed

if TYPE_CHECKING:
    from sezzlee_py.cli.host import Host


# `$NAME` begins a word, so that a credential with a dollar sign in it stays as it is.
_VARIABLE: Final = re.compile(
    r"(?<!\S)\$(?P<bare>[A-Za-z_]\w*)|\$\{(?P<braced>[A-Za-z_]\w*)\}", re.ASCII
)


class Command(click.Command):
    """A command whose result alone is written to standard output, failures as JSON included."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command with a `Console` as the context's object."""
        with claimed_stdout() as stream:
            console = Console(stream, as_json=bool(ctx.params.pop("as_json", False)))
            ctx.obj = console
            try:
                return super().invoke(ctx)
            except Failure as failure:
                if console.as_json:
                    console.document(failure.document())
                raise


as_json: Final = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


def app_command(*own: Callable[[Any], Any]) -> Callable[[Callable[..., None]], Command]:
    """Return a decorator that makes a command over APP, called with a console and a `Source`.

    Args:
        own: the command's own arguments and options, in the order of its help.
    """
    options = (
        click.argument("app"),
        *own,
        as_json,
        click.option("--factory", is_flag=True, help="APP is a function that makes the app."),
        click.option("--no-start", is_flag=True, help="Do not run the app's own startup."),
    )

    def decorate(function: Callable[..., None]) -> Command:
        @click.pass_obj
        def run(console: Console, /, **parameters: Any) -> None:
            source = Source(
                spec=parameters.pop("app"),
                factory=parameters.pop("factory"),
                start=not parameters.pop("no_start"),
            )
            function(console, source, **parameters)

        decorated: Any = run
        for option in reversed(options):
            decorated = option(decorated)
        name = function.__module__.rpartition(".")[2]
        return click.command(name, cls=Command, help=function.__doc__)(decorated)

    return decorate


class Source:
    """Where the application of a command comes from."""

    def __init__(self, *, spec: str, factory: bool, start: bool) -> None:
        self.spec = spec
        self.factory = factory
        self.start = start

    @contextmanager
    def opened(self, console: Console, *, tells: Collection[str] = ()) -> Iterator[Any]:
        """Give the application's `Host`, started unless told otherwise.

        Args:
            console: where the command writes.
            tells: events beside findings that the command writes itself, so that no log does.

        Raises:
            Failure: there is no such application, it does not start, or its options or
                declarations are wrong.
        """
        from sezzlee_py.cli.host import opened_host
        from sezzlee_py.errors import CatalogError, DeclarationError, OptionsError

        console.note(f"reading {self.spec}")
        try:
            with opened_host(
                self.spec, factory=self.factory, start=self.start, tells=tells
            ) as host:
                yield host
        except CatalogError as fault:
            found = [str(diagnostic) for diagnostic in fault.diagnostics]
            raise NotServed("catalog_not_served", str(fault), diagnostics=found) from None
        except OptionsError as fault:
            raise Failure("wrong_options", str(fault)) from None
        except DeclarationError as fault:
            raise Failure("wrong_declaration", str(fault)) from None


def _parse_headers(
    ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> Mapping[str, str]:
    headers: dict[str, str] = {}
    for text in values:
        name, separator, value = text.partition(":")
        if not separator or not name.strip():
            # The text may hold a credential, so it is not repeated.
            raise click.BadParameter("expected 'Name: value'")
        headers[name.strip().lower()] = _value(value.strip())
    return headers


def _value(text: str) -> str:
    """A value with what the environment variables in it hold: credentials stay out of commands."""
    value = _VARIABLE.sub(_held, text)
    if not value.isprintable() or max(value, default="") > "\xff":
        raise click.BadParameter("a header cannot carry this value")
    return value


def _held(match: re.Match[str]) -> str:
    name = match["bare"] or match["braced"]
    value = os.environ.get(name)
    if value is None:
        raise click.BadParameter(f"the environment variable {name} is not set")
    return value


def warn_of_headers_left(console: Console, host: Host, headers: Mapping[str, str]) -> None:
    """Tell of given headers that no call will carry: its answer would look like theirs."""
    from sezzlee_py.explorer.carried import left_behind

    left = left_behind(headers, host.engine.options.identity)
    if left is not None:
        console.warn(f"warning: {left}")


headers_option: Final = click.option(
    "--header",
    "headers",
    multiple=True,
    metavar="HEADER",
    callback=_parse_headers,
    help="'Name: value' that the caller sends; may be given again. A word $NAME or ${NAME} of the "
    "value is read from the environment.",
)
