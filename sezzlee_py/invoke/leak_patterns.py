r"""The table of texts that tell about a backend's inside (spec: results 5), as expressions.

Each row may match what the public table lists and, for Python, some more; it only withholds more.
Two rules keep the cost of a hostile text proportional to its length, and a test reads every
expression for them: a repeat is bounded, and one that others follow gives nothing back (`{1,9}+`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

# Kept as a list, so that two versions of Python withhold the same; a test compares the interpreter.
_BUILTIN_EXCEPTIONS: Final = re.findall(
    r"\w+",
    """
    ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError
    BrokenPipeError BufferError BytesWarning ChildProcessError ConnectionAbortedError
    ConnectionError ConnectionRefusedError ConnectionResetError DeprecationWarning EOFError
    EncodingWarning EnvironmentError Exception ExceptionGroup FileExistsError FileNotFoundError
    FloatingPointError FutureWarning GeneratorExit IOError ImportCycleError ImportError
    ImportWarning IndentationError IndexError InterruptedError IsADirectoryError KeyError
    KeyboardInterrupt LookupError MemoryError ModuleNotFoundError NameError NotADirectoryError
    NotImplementedError OSError OverflowError PendingDeprecationWarning PermissionError
    ProcessLookupError PythonFinalizationError RecursionError ReferenceError ResourceWarning
    RuntimeError RuntimeWarning StopAsyncIteration StopIteration SyntaxError SyntaxWarning
    SystemError SystemExit TabError TimeoutError TypeError UnboundLocalError UnicodeDecodeError
    UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning UserWarning ValueError
    Warning WindowsError ZeroDivisionError _IncompleteInputError
    """,
)
_ROOTS: Final = (
    r"Users|home|var|usr|opt|srv|app|src|etc|tmp|root|code|venv|\.venv|mnt|private|Library|proc"
)
# Names that routes have as well: below them only what is known to lie there on a disk counts, or
# a file, by its ending.
_SHARED_ROOTS: Final = r"run|data|workspace"
_ON_DISK: Final = (
    r"run/(?:secrets|credentials|user|lock|systemd|docker|containerd|postgresql|mysqld|redis)"
    r"|data/(?:db|mysql|postgres|postgresql|pgdata|lib|etc|var|home|secrets|\.ssh)"
    r"|workspace/(?:src|lib|bin|app|apps|venv|\.venv|\.git|node_modules)"
)
_SETTINGS: Final = (
    r"server|data source|initial catalog|addr|address|network address|database|user id|uid|pwd"
    r"|password|integrated security|trusted_connection|accountname|accountkey|sharedaccesskey"
    r"|sharedaccesskeyname|endpoint|defaultendpointsprotocol|host|username"
)
_SCHEMES: Final = (
    r"mongodb|postgres|postgresql|mysql|mariadb|redis|rediss|amqp|amqps|mssql|sqlite|oracle"
)
_BOUNDARY: Final = r"(?:\A|(?<=[\s\"'`“”‘’«»(=:])|(?<=file://))"
_DOTTED: Final = r"[\w$<>`\[\],+/&*|~-]"


def _rows(rows: Mapping[str, tuple[str, ...]]) -> Mapping[str, tuple[re.Pattern[str], ...]]:
    return MappingProxyType({name: tuple(map(re.compile, row)) for name, row in rows.items()})


# Names in the order in which they are tried; the length is the last and no expression.
PATTERNS: Final = _rows(
    {
        "stack_frame": (
            rf"(?<!\w)at\s{{1,40}}+{_DOTTED}{{1,200}}+(?:\.{{1,2}}+{_DOTTED}{{1,200}}+){{1,40}}+\(",
            r"(?<!\w)at\s[^\n()]{0,200}+\((?=[^()\s]{0,300}[^\d()\s:])"
            r"[^()\s]{1,300}:\d{1,7}+:\d{1,7}+\)",
            r"Traceback\s{1,40}+\(most\s{1,40}+recent\s{1,40}+call\s{1,40}+last\)",
            r"""File\s{1,9}+\\{0,3}+["'][^"'\n]{1,500}+["'],\s{1,40}+line\s{1,40}+\d""",
            r",\s{0,40}+line\s{1,40}+\d{1,9}+,\s{0,40}+in\s{1,40}+[\w<]",
            r"\n[ \t\xa0~]{0,1000}+\^[ \t\xa0~^]{0,1000}+(?=\r?\n|\Z)",
        ),
        "exception_type": (
            r"(?<=\w)Exception(?!\w)",
            r"(?<!\w)(?:Type|Reference|Syntax|Range|Eval|URI)Error(?!\w)",
            rf"(?<!\w)(?:{'|'.join(_BUILTIN_EXCEPTIONS)})[:(]",
            r"(?<=\w)\.(?=[A-Z])\w{1,200}+"
            r"(?:(?<=Error)|(?<=Exception)|(?<=Violation)|(?<=Warning))",
            r"(?<=\w)\.exc(?:eptions)?\.[A-Z]",
            # What the interpreter says itself, where the name of the exception was left out.
            r"' object (?:has no attribute '|is not (?:callable|iterable|subscriptable))",
            r"' object (?:does not support item|is not an iterator)|(?<!\w)NoneType(?!\w)|<class '",
            r"(?<!\w)(?:list|tuple|string|bytearray) (?:assignment )?index out of range",
            r"(?<!\w)got an unexpected keyword argument '|positional arguments? but \d{1,3} w",
            r"(?<!\w)missing \d{1,3} required (?:positional|keyword-only) argument",
            r"(?<!\w)(?:not enough|too many) values to unpack|cannot unpack non-",
            r"(?<!\w)unsupported operand type\(s\) for |Object of type \w{1,100}+ is not JSON",
            r"(?<!\w)No module named '|(?<!\w)cannot import name '|\[Errno \d",
            r"(?<!\w)(?:module|type object) '[\w.]{1,200}+' has no attribute '|unhashable type: '",
            r"(?<!\w)name '\w{1,100}+' is not defined|local variable '\w{1,100}+' (?:ref|where)",
            r"' object cannot be interpreted as an|(?<!\w)can only concatenate \w{1,20}+ \(not ",
        ),
        "file_path": (
            # After a backslash a letter is no drive but a regular expression's class: `\d\d:\d\d`.
            r"(?:(?<![A-Za-z0-9\\])|(?<=\\[?.]\\))[A-Za-z]:(?:\\|/[\w.-]{1,100}+/)",
            r"(?<![\w\\])(?:\\{2}[\w.$-]{1,100}+\\|\\{4}[\w.$-]{1,100}+\\\\)[^\s\\]",
            rf"{_BOUNDARY}/(?:{_ROOTS})/",
            rf"{_BOUNDARY}/(?:{_ON_DISK})/",
            rf"{_BOUNDARY}/(?:{_SHARED_ROOTS})/(?:[\w@.-]{{1,100}}+/){{0,20}}+"
            r"[\w@-]{0,100}+\.[A-Za-z_]",
            r"\w\.\w{1,10}+:line\s{0,9}+\d",
            r"\w\.py[cwx]?:\d",
            r"(?:site|dist)-packages",
        ),
        "connection_string": (
            rf"(?i)(?<!\w)(?:{_SETTINGS})\s{{0,9}}+=[^;\r\n]{{1,300}}+;",
            rf"(?i);\s{{0,9}}+(?:{_SETTINGS})\s{{0,9}}+=\s{{0,9}}+[^;\s]",
            rf"(?i)(?<![A-Za-z0-9])(?:{_SCHEMES})(?:\+[\w.-]{{1,40}}+)?://",
            r"//[^\s/?#@:\"'<>]{0,200}+:[^\s/?#\"'<>]{1,200}@",
            r"//[^\s/?#@:\"'<>]{16,200}+@",
            r"HTTPS?ConnectionPool\(host=|connection to server at \"",
            r"(?i)(?:dsn|password|passwd|passphrase|(?<![A-Za-z0-9])pwd)"
            r"(?:=|\s{1,9}+=\s{1,9}+)[\"']?[^\s\"'&;,<]",
        ),
        "credential": (
            r"(?<![A-Za-z0-9])Bearer\s{1,40}+[A-Za-z0-9._~+/=-]",
            r"(?i)(?<![A-Za-z0-9])bearer\s{1,40}+(?=[A-Z._~+/=-]{0,100}[0-9])[A-Z0-9._~+/=-]{12}",
            r"(?<![A-Za-z0-9])Basic\s{1,40}+[A-Za-z0-9+/]{12}",
            r"(?i)(?<![A-Za-z0-9])basic\s{1,40}+(?=[A-Z+/]{0,100}[0-9=])[A-Z0-9+/]{12}",
            r"(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{4}",
            r"(?<![A-Za-z0-9])(?:AKIA|ASIA)[0-9A-Z]{8}",
            r"SECRET_KEY",
            # A long word counts too, though `token: expected a string` tells nothing: letters alone
            # make a secret as well, and the standard text costs little.
            r"(?i)(?:api[_-]?key|token|secret(?:_access)?(?:_key)?)[\"']?\s{0,9}+[=:]\s{0,9}+"
            r"[\"']?[^\s\"'<>]{8}",
            r"(?i)(?:password|passwd|passphrase)[\"']\s{0,9}+:"
            r"\s{0,9}+(?:\"[^\s\"]{4,300}+\"|'[^\s']{4,300}+')",
            # A digit tells a value from `password: required`; no link, pattern or date is one.
            r"(?i)(?<![A-Za-z0-9])(?:password|passwd|passphrase|pwd):[ \t]{0,9}+"
            r"(?![a-z]{1,10}+://|[\^(\[{/]|\d{4}-\d\d)(?=[^\s\d\"'<>,;]{0,100}\d)"
            r"[^\s\"'<>,;]{8,300}+(?![ \t]{1,40}+[\w'\"(])",
            r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY",
            r"(?<![A-Za-z0-9])(?:gh[opsur]_|github_pat_|[rs]k_live_|[rs]k_test_|xox[abprs]-|AIza|glpat-"
            r"|sk-proj-|sk-ant-)[A-Za-z0-9_-]{10}",
            r"(?<![A-Za-z0-9])npm_[A-Za-z0-9]{20}",
            r"(?<![A-Za-z0-9])SG\.[A-Za-z0-9_-]{10,100}+\.[A-Za-z0-9_-]{10}",
        ),
        "database": (
            r"(?i)(?<![A-Za-z0-9])(?:psycopg|asyncpg|pymysql|sqlite3\.|cx_oracle)",
            r"sqlalche\.me",
            r"\[(?:SQL|parameters):",
            r"DETAIL:\s{1,9}+Key \(",
            r"(?i)duplicate key value violates",
            r"(?i)relation\s{1,9}+\\?\"[^\"\n]{1,300}+\"\s{1,9}+does not exist",
            r"(?:UNIQUE|NOT NULL|CHECK|FOREIGN KEY) constraint failed",
            r"(?i)violates (?:foreign key|not-null|check|unique|exclusion) constraint",
            r"(?<!\w)Failing row contains \(|(?<!\w)Key \([^)\n]{1,300}\)=\(",
            r"(?<!\w)no such (?:table|column): |syntax error at or near \"|E11000 duplicate key",
            r"(?i)duplicate entry '[^\n]{0,300}' for key|access denied for user '",
            r"(?<!\w)ORA-\d{5}|\[ODBC |(?<!\w)QueuePool limit of",
            r"(?<!\w)Unknown column '[^'\n]{1,200}+' in '|error in your SQL syntax",
            r"(?<!\w)Table '[\w$-]{1,100}+\.[\w$-]{1,100}+' doesn't exist",
            r"(?<!\w)near \"[^\"\n]{1,300}+\": syntax error|foreign key constraint fails \(",
            r"password authentication failed for user \"",
        ),
        "object_repr": (
            r"<[^\n]{0,200}?\sat\s0x[0-9a-fA-F]{1,16}+[^<>]{0,50}+>",
            r"(?<!\w)at\s{1,40}+0x[0-9a-fA-F]{6}",
        ),
    }
)

# What a secret cut in two by a line break still shows once the lines are joined. The rows above
# would find frames, paths and values there that nobody wrote.
SPLIT_SECRETS: Final = _rows(
    {
        "connection_string": (
            rf"(?i)(?<![A-Za-z0-9])(?:{_SCHEMES})(?:\+[\w.-]{{1,40}}+)?://",
            r"//[^\s/?#@:\"'<>]{0,200}+:[^\s/?#\"'<>]{1,200}@",
            r"(?i)(?:dsn|password|passwd|passphrase|(?<![A-Za-z0-9])pwd)=[\"']?[^\s\"'&;,<]",
        ),
        "credential": (
            r"(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{10}",
            r"(?<![A-Za-z0-9])(?:AKIA|ASIA)[0-9A-Z]{12}",
            r"(?i)(?:api[_-]?key|token|secret(?:_access)?(?:_key)?)=[\"']?[^\s\"'<>]{8}",
        ),
    }
)
