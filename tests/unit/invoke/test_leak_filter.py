"""What may reach an agent: the rows of the table, their limits, and texts met in the wild."""

import builtins

import pytest

from sezzlee_py.invoke.leak_filter import (
    is_forwardable,
    is_forwardable_location,
    leak_pattern,
    utf16_length,
)
from sezzlee_py.invoke.leak_patterns import PATTERNS

ROWS = {
    "stack_frame": [
        "at com.shop.OrderService.create(OrderService.java:88)",
        "at Shop.Basket.Check(Order order)",
        "at Shop.Basket..ctor(String name)",
        "at createOrder (orders.js:10:15)",
        "at async Promise.all (index 0)\n    at Object.<anonymous> (/x/y.ts:4:2)",
        "at <anonymous> (http://localhost/bundle.js?v=1:10:5)",
        "Traceback (most recent call last):",
        "boom\nTraceback (most recent\n call last)",
        'File "orders.py", line 10',
        "File 'orders.py', line 10",
        "module orders, line 12, in create_order",
        "x, line 3, in <module>",
        "price * rate\n~~~~~~^~~~~~",
        "a b\n  ^",
        "a b\r\n\t^^^\r\nc",
    ],
    "exception_type": [
        "NullReferenceException",
        "java.lang.IllegalStateException: no",
        "TypeError",
        "URIError happened",
        "ValueError: x",
        "KeyError('item')",
        "Exception: boom",
        "StopIteration()",
        "billing.errors.PaymentError",
        "binascii.Error: Incorrect padding",
        "pkg.mod.SomeWarning",
        "psycopg2.errors.UniqueViolation: x",
        "jinja2.exceptions.TemplateNotFound",
        "sqlalchemy.exc.NoResultFound",
    ],
    "file_path": [
        "C:\\inetpub\\shop",
        "d:\\data",
        "drive C:\\ is full",
        "in C:/Users/app/orders.xml",
        "in \\\\?\\C:\\shop",
        "\\\\files01\\orders\\42.xml",
        "\\\\\\\\files01\\\\orders",
        "/Users/kim/x",
        "see /home/app/x",
        "'/var/lib/x'",
        '"/usr/lib/x"',
        "(/opt/x/y)",
        "path=/srv/x/y",
        "path:/app/x/y",
        "`/src/x`",
        "/etc/passwd",
        "/tmp/x",
        "/root/x",
        "/code/x",
        "/venv/x",
        "/.venv/x",
        "/mnt/x",
        "/private/x",
        "/Library/x",
        "/proc/1",
        "file:///srv/app/orders.js",
        "cannot read /run/secrets/db_password",
        "open /data/app/config.yml failed",
        "/data/.env",
        "/workspace/src/x",
        "/workspace/a/b.c/d-e.test.py",
        "Basket.cs:line 31",
        "orders.py:88",
        "from site-packages import",
        "python3/dist-packages",
    ],
    "connection_string": [
        "Server=db01;",
        "Data Source=db01;Initial Catalog=Orders;",
        "x; Password=abc",
        "mongodb://db01/orders",
        "mongodb+srv://db01/orders",
        "postgres://db",
        "postgresql+asyncpg2://db",
        "mysql://db",
        "redis://db",
        "amqp://db",
        "mssql://db",
        "sqlite:///x.db",
        "https://svc:s3cret@billing.internal/v1",
        "//svc:s3cret@billing.internal",
        "https://0123456789abcdef0123@git.internal/repo",
        "dsn=host",
        "host=db user=app password=s3cret",
        "password = s3cret",
        "pwd=hunter2",
        "/cb?Pwd=hunter2",
    ],
    "credential": [
        "Bearer abc",
        "bearer 0123456789abcdef",
        "Basic dXNlcjpzM2NyZXQ",
        "basic dXNlcjpzM2NyZXQtcHc=",
        "got eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0.c2ln",
        "AKIAIOSFODNN7EXAMPLE",
        "DJANGO_SECRET_KEY",
        "api_key=12345678",
        "api_key: 1234abcd",
        "x-api-key:12345678",
        "token=9f8e7d6c",
        "access_token=9f8e7d6c",
        "refresh_token: 9f8e7d6c",
        "accessToken: 9f8e7d6c",
        '"token": "9f8e7d6c"',
        "client_secret='9f8e7d6c'",
        "secret: abcdefgh",
        "api_key: abcdefgh was refused",
        "Invalid token: expected a string",
        "{'password': 'hunter2'}",
        "-----BEGIN RSA PRIVATE KEY-----",
        "ghp_0123456789abcdef",
        "Password: hunter2hunter2",
        "passwd:hunter2hunter2",
        "PWD: 8dK!xy_q, user: kim",
        "passphrase: c0rrect-horse\nuser: kim",
        "glpat-ABCDEFGHIJKLMNOPQRST",
        "invalid key sk-proj-abcdefghijklmnop1234567890",
        "sk-ant-api03-abcdefgh",
        "SG.abcdefghijk.lmnopqrstuvwxyz0123456789",
        "npm_abcdefghijklmnopqrstuvwxyz0123456789",
    ],
    "database": [
        "psycopg: bad",
        "psycopg2",
        "asyncpg",
        "pymysql",
        "sqlite3.Row",
        "cx_Oracle",
        "https://sqlalche.me/e/20/gkpj",
        "[SQL: SELECT 1]",
        "[parameters: (1,)]",
        "DETAIL:  Key (id)=(4) already exists.",
        'duplicate key value violates unique constraint "x"',
        'relation "orders" does not exist',
        "UNIQUE constraint failed: orders.number",
        "NOT NULL constraint failed: orders.number",
        'violates foreign key constraint "x"',
    ],
    "object_repr": [
        "<Lock at 0x1f>",
        "<function <lambda> at 0x1f>",
        "<shop.models.Order object at 0x7f3a2c1b9d50>",
        "handle at 0x7f3a2c",
    ],
    "too_long": ["a" * 1001, "📦" * 501],
}


@pytest.mark.parametrize(
    ("name", "text"), [(name, text) for name, texts in ROWS.items() for text in texts]
)
def test_each_row_names_what_it_matches(name: str, text: str) -> None:
    assert leak_pattern(text) == name
    assert not is_forwardable(text)


# Neighbours of the rows: one thing that the row asks for is missing.
NEAR_MISSES = [
    "The shop opens at 10 o'clock",
    "Closed at noon (10:15:00)",
    "at home (see page 3)",
    "The last traceback is most recent",
    "line 12 in the file",
    "Use ^ for powers",
    "^ marks the place",
    "Exception requests are handled on Fridays",
    "Exceptions are listed below",
    "Error: amount must be above zero",
    "Value error, amount must be above zero",
    "A ValueError is raised for this",
    "The error_code field is required",
    "billing.errors.Payment",
    "No operation matches POST /orders/42/notes",
    "See https://docs.example.net/home/deploy for the limits",
    "Send email and/or phone",
    "/application/x and /homes/x",
    "orders/app/x",
    "No route to /data/42/orders for PATCH",
    "POST /run/42/cancel was refused; see /workspace/7/users.",
    "/data/v2.0/items and /data/user/5",
    "text/app/x;/app/x",
    "Password: short1",
    "Password: required",
    "password: incorrect.",
    "password: minimum8 characters",
    "Password: hunter2hunter2 is too common",
    "Password: ^[A-Za-z0-9]{8,64}$",
    "password: 2024-05-01T10:00:00Z",
    "Reset your password: https://example.com/reset?id=12345678",
    "onepassword: 12345678a",
    "the pwd= parameter has no value",
    "cpwd=12345",
    "npm_config_registry_of_the_project is not set",
    "sk-project and glpat- are prefixes",
    "SG. Dynamo won; MSG.abcdefghijk.lmnopqrstuvwxyz",
    "the /app route",
    "orders.py is no image",
    "Server=db01",
    "the password= parameter has no value",
    "postgres is not one of the supported engines",
    "http://example.com:8080/path",
    "mail john.doe@example.com or call",
    "https://user@example.com/",
    "The Bearer",
    "Bearer, token and key",
    "the bearer of this voucher",
    "Basic plan only",
    "basic information is missing",
    "AKIA is a prefix",
    "the secret key is missing",
    "The token field is required, and so is the secret",
    "token=short",
    "Invalid token: too short to be one",
    "Secret: another one was meant",
    "a secret garden: roses grow",
    "postgresql is slow",
    'the relation "orders" exists',
    "unique constraint on number",
    "<b>bold</b> at 0x",
    "meet at 0x1f",
    "a" * 1000,
    "📦" * 500,
]


@pytest.mark.parametrize("text", NEAR_MISSES)
def test_what_lacks_one_mark_of_a_row_passes(text: str) -> None:
    assert leak_pattern(text) is None
    assert is_forwardable(text)


def test_the_first_of_two_rows_names_the_pattern() -> None:
    assert leak_pattern("KeyError: x in /home/app/x") == "exception_type"
    assert leak_pattern("/home/app/x " + "a" * 1000) == "file_path"


def test_every_exception_of_the_interpreter_is_withheld() -> None:
    names = [
        name
        for name, value in vars(builtins).items()
        if isinstance(value, type) and issubclass(value, BaseException)
    ]
    assert [n for n in names if leak_pattern(f"{n}: x") is None] == []
    assert [n for n in names if leak_pattern(f"{n}('x')") is None] == []


def test_a_text_beyond_the_named_part_is_too_long() -> None:
    assert leak_pattern("a" * 70_000 + " KeyError: x") == "too_long"


# Failures as Python services print them.
FAILURES = [
    "Traceback (most recent call last):\n"
    '  File "/srv/shop/orders.py", line 42, in create_order\n    raise KeyError(sku)',
    'Exception Group Traceback (most recent call last):\n  | File "a.py", line 3, in f',
    "    total = price * rate\n            ~~~~~~^~~~~~\nTypeError: can't multiply",
    "'NoneType' object has no attribute 'id' (orders.py:88)",
    "KeyError: 'sku'",
    "ValueError: invalid literal for int() with base 10: 'x'",
    "RuntimeError: Event loop is closed",
    "ZeroDivisionError: division by zero",
    "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xe9",
    "RecursionError: maximum recursion depth exceeded",
    "ModuleNotFoundError: No module named 'shop.tax'",
    "AssertionError: assert total == 4",
    "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
    "asyncio.exceptions.CancelledError",
    "concurrent.futures._base.TimeoutError",
    "ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)",
    "(sqlalchemy.exc.OperationalError) (psycopg2.OperationalError) connection refused",
    "(sqlite3.IntegrityError) UNIQUE constraint failed: orders.number\n[SQL: INSERT INTO orders]",
    "sqlalchemy.exc.NoResultFound: No row was found when one was required",
    "(Background on this error at: https://sqlalche.me/e/20/e3q8)",
    "Parent instance <Order at 0x7f1c9a3b2e10> is not bound to a Session",
    "[parameters: {'email': 'kim@example.com'}]",
    'psycopg.errors.UndefinedTable: relation "orders" does not exist',
    'ERROR: relation "billing.invoice" does not exist',
    'duplicate key value violates unique constraint "users_email_key"\n'
    "DETAIL:  Key (email)=(kim@example.com) already exists.",
    'insert or update on table "lines" violates foreign key constraint "lines_order_fk"',
    "asyncpg.exceptions.TooManyConnectionsError: sorry, too many clients already",
    "asyncpg pool exhausted after 30 s",
    "pymysql.err.OperationalError: (2003, \"Can't connect to MySQL server on 'db'\")",
    "cx_Oracle.DatabaseError: ORA-00942: table or view does not exist",
    "django.db.utils.ProgrammingError: column orders.x does not exist",
    "redis.exceptions.ConnectionError: Error 111 connecting to cache:6379",
    "could not connect to redis://:s3cret@cache:6379/0",
    "kombu.exceptions.OperationalError: amqp://guest:guest@mq:5672//",
    "celery.exceptions.MaxRetriesExceededError",
    "pymongo.errors.ServerSelectionTimeoutError: db01:27017",
    "botocore.exceptions.ClientError: An error occurred (AccessDenied) when calling GetObject",
    "botocore.exceptions.NoCredentialsError: Unable to locate credentials",
    "InvalidAccessKeyId: AKIAIOSFODNN7EXAMPLE is not known",
    "pydantic_core._pydantic_core.ValidationError: 1 validation error for Order",
    "fastapi.exceptions.ResponseValidationError: 1 validation errors",
    "jinja2.exceptions.UndefinedError: 'order' is undefined",
    "jinja2.exceptions.TemplateNotFound raised from /app/templates/order.html",
    "werkzeug.routing.exceptions.BuildError: Could not build url",
    "requests.exceptions.SSLError: HTTPSConnectionPool(host='x')",
    "httpx.ConnectError: [Errno -2] Name or service not known",
    "urllib.error.HTTPError: HTTP Error 403",
    "[Errno 2] No such file or directory: '/var/lib/shop/orders/42.json'",
    "PermissionError: [Errno 13] Permission denied: '/etc/shop/key.pem'",
    "cannot import name 'x' from 'shop' (/usr/lib/python3/site-packages/shop/__init__.py)",
    "could not read .venv/lib/python3.12/site-packages/shop/data.json",
    "Could not open C:\\Shop\\data\\orders.db",
    "can't serialise <function total at 0x7f3a2c1b9d50>",
    "<coroutine object get_order at 0x7f3a2c1b9d50> was never awaited",
    "host=db01 port=5432 dbname=orders user=app password=s3cret",
    "Driver={ODBC};Server=tcp:db01,1433;Database=orders;Uid=app;Pwd=s3cret;",
    "DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=Zm9v;",
    "GET https://svc:s3cret@billing.internal/v1 failed",
    "upstream said: Authorization: Bearer 9f8e7d6c5b4a3210",
    "Authorization: Basic dXNlcjpzM2NyZXQtcHc=",
    "invalid signature for eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0.c2ln",
    "stripe rejected sk_live_4eC39HqLyjWDarjtT1zdp7dc",
    "config: {'SECRET_KEY': 'dev', 'DEBUG': True}",
    "login failed for {'user': 'kim', 'password': 'hunter2'}",
    "callback?access_token=9f8e7d6c5b4a3210&state=1",
    # Split over lines.
    "password=\ns3cret",
    "user app, pass\nword=s3cret",
    "Bearer\n9f8e7d6c5b4a3210",
    "key AKIAIOSFO\\\n    DNN7EXAMPLE was refused",
    "postgre\nsql://app@db01/orders",
    "https://svc:s3c\nret@billing.internal/v1",
    "to\nken=9f8e7d6c5b4a3210",
    "jwt eyJhbGci\n  OiJIUzI1NiJ9",
    # Encoded.
    "next=%2Fhome%2Fapp%2Forders.json",
    "Traceback+%28most+recent+call+last%29",
    "dsn%3Dpostgres%3A%2F%2Fapp%3Apw%40db%2Forders",
    "password%3Ds3cret",
    "password%253Ds3cret",
    "Bearer%209f8e7d6c5b4a3210",
    "File &quot;orders.py&quot;, line 3",
    "&lt;Order at 0x1f&gt;",
    'detail: \\"/app/orders.json\\"',
    "failed:\\n/srv/shop/orders.json",
    "\\/var\\/www\\/html\\/index.php",
    'upstream said {"err":"postgres:\\u002f\\u002fapp:s3cretpw@db\\u002forders"}',
    "postgres:\\\\u002f\\\\u002fdb",
    "postgres:\\x2F\\x2Fdb",
    "rejected token\\u003d9f8e7d6c5b4a3210",
    "bad password\\x3dhunter2x",
    "bad password\\u{3d}hunter2x",
    "bad password\\U0000003dhunter2x",
    "failed:\\u000a\\u002fsrv/shop/orders.json",
]


@pytest.mark.parametrize("text", FAILURES)
def test_a_failure_of_a_python_service_is_withheld(text: str) -> None:
    assert not is_forwardable(text)


# Messages that applications write for their users.
ORDINARY = [
    "Not Found",
    "Order 4712 does not exist.",
    "Field required",
    "Input should be a valid integer, unable to parse string as an integer",
    "Input should be greater than or equal to 0",
    "Value error, start must be before end",
    "Assertion failed, total must match the lines",
    "String should match pattern '^[A-Z]{2}-[0-9]+$'",
    "String should match pattern '^\\d{3}-\\d{4}$'",
    "String should match pattern '^\\d\\d:\\d\\d$'",
    "String should match pattern '^\\w:\\s*$'",
    "String should match pattern '^\\\\w+$'",
    "This field may not be blank.",
    "Missing data for required field.",
    "Not a valid integer.",
    "quantity must be between 1 and 100",
    "'quantity' is a required property",
    "String should match pattern '^[\\u0041-\\u005a]\\x2d[0-9]$'",
    "The sign \\u{110000}, \\U00110000 or \\ud800 is no character",
    "Incorrect username or password.",
    "The password must have at least 12 characters and one digit.",
    "password: must not equal the user name",
    "Your session has expired; sign in again.",
    "Not enough permissions for this warehouse",
    "Token is invalid or has expired",
    "Invalid token: not a string",
    "The token field is required, and so is the secret",
    "Missing API key",
    "Exceeded the limit of 10 requests per minute.",
    "Rate limit: 5 per 1 minute",
    "Error: amount must be above zero",
    "Error code 17: stock too low",
    "No exception can be made for this order.",
    "The request timed out at the payment provider.",
    "Try again at 10:30 (UTC).",
    "Delivery at St. Mary (back door)",
    "Meeting is at noon, room 3",
    "See line 3 of the invoice",
    "The file orders.csv has no header.",
    "Only .png and .jpg files are allowed",
    "The file is 12 MB; the limit is 5 MB",
    "No route to /orders/42 for PATCH",
    "Use /api/v2/orders instead of /api/v1/orders",
    "See https://docs.example.net/home/deploy for the limits",
    "Contact support at help@example.com",
    "Visit https://example.com/reset?next=/orders to continue",
    "https://example.com:8443/status is down for maintenance",
    "Send email and/or phone, 1/2 page at most",
    "Value must be between 0.5 and 2.75 (API 3.1.4)",
    "Two problems:\n- item is missing\n- quantity is zero",
    "Several rules failed:\nname: too short\ntoken: too short",
    "Sipariş numarası zorunludur.",
    "Поле обязательно для заполнения.",
    "数量は1以上でなければなりません。",
    "Die Bestellung wurde bereits storniert.",
    "L'article n'est plus disponible.",
    "Price 10% off applies to 50% of items",
    "100%25 sure",
    "Tom &amp; Jerry is sold out",
    "C++ and C# books are sold out",
    "a < b and b > c must hold",
    "Use ^ and ~ with care",
    "Warn: stock is low",
    "Duplicate order number",
    "A customer with this email already exists.",
    "Column 'price' does not exist in the import file",
    "Unknown field(s): colour, sise",
    "Expected one of: open, closed, cancelled",
    "expected ',' or '}' after property value",
    "Conflict: version 3 is stale, current version is 5",
    "SKU AB-1234 is discontinued",
    "Reference 8f14e45f-ceea-467f-a830-0f2b1c8f7a10 was not found",
    "Basic plan allows 3 projects",
    "The bearer of the voucher must be present",
    "Server busy; please retry",
    "database is under maintenance",
    "Redis and Postgres add-ons are not part of your plan",
]


@pytest.mark.parametrize("text", ORDINARY)
def test_an_ordinary_message_passes(text: str) -> None:
    assert leak_pattern(text) is None


def test_both_tables_hold_at_least_sixty_texts() -> None:
    assert len(set(FAILURES)) >= 60
    assert len(set(ORDINARY)) >= 60


def test_a_redirect_is_withheld_for_credentials_alone() -> None:
    passing = ["/app/orders/42", "/orders/?next=/home/x", "https://example.com/a?b=c#d", "/" * 9]
    held = [
        "https://svc:s3cret@backend.internal/orders",
        "//svc:s3cret@backend.internal/orders",
        "/cb?access_token=9f8e7d6c5b4a3210",
        "/cb?password=s3cret",
        "/cb?next=https%3A%2F%2Fsvc%3As3cret%40backend.internal",
        "/cb#eyJhbGciOiJIUzI1NiJ9",
    ]
    assert [url for url in passing if not is_forwardable_location(url)] == []
    assert [url for url in held if is_forwardable_location(url)] == []


def test_length_counts_utf16_units() -> None:
    assert [utf16_length(text) for text in ("", "ab", "é", "📦", "\ud800")] == [0, 2, 1, 2, 1]


def test_rows_stand_in_the_order_in_which_they_are_tried() -> None:
    assert [*PATTERNS, "too_long"] == list(ROWS)
