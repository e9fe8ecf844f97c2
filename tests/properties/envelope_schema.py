"""JSON Schemas of the three answers of `invoke_tool`, written from the spec and nothing else."""

from typing import Any

from sezzlee_py.errors import BackendCode, ErrorCode

_FIELDS = {
    "type": "array",
    "minItems": 1,
    "maxItems": 50,
    "items": {
        "type": "object",
        "properties": {"name": {"type": "string", "minLength": 1}, "message": {"type": "string"}},
        "required": ["message"],
        "additionalProperties": False,
    },
}

SUCCESS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "status": {"type": "integer", "maximum": 399},
        "body": {},
        "contentType": {"type": "string", "minLength": 1},
        "location": {"type": "string", "minLength": 1},
    },
    "required": ["status"],
    "additionalProperties": False,
}

MAPPED_ERROR: dict[str, Any] = {
    "type": "object",
    "properties": {
        "error": {"enum": [str(code) for code in BackendCode]},
        "message": {"type": "string", "minLength": 1, "maxLength": 1000},
        "status": {"type": "integer", "minimum": 400},
        "retryable": {"type": "boolean"},
        "fields": _FIELDS,
        "retryAfterSeconds": {"type": "integer", "minimum": 0},
        "reference": {"type": "string", "pattern": "^[A-Za-z0-9:_.-]{1,100}$"},
    },
    "required": ["error", "message", "status", "retryable"],
    "additionalProperties": False,
    "if": {"required": ["retryAfterSeconds"]},
    "then": {"properties": {"retryable": {"const": True}}},
}

SDK_ERROR: dict[str, Any] = {
    "type": "object",
    "properties": {
        "error": {"enum": [str(code) for code in ErrorCode]},
        "message": {"type": "string", "minLength": 1},
        "retryable": {"type": "boolean"},
        "fields": _FIELDS,
        "payload": {
            "type": "object",
            "properties": {
                "bytes": {"type": "integer"},
                "limit": {"type": "integer"},
                "shape": {
                    "type": "object",
                    "properties": {
                        "kind": {"enum": ["array", "object", "text"]},
                        "count": {"type": "integer", "minimum": 0},
                    },
                    "required": ["kind"],
                    "additionalProperties": False,
                },
            },
            "required": ["bytes", "limit", "shape"],
            "additionalProperties": False,
        },
    },
    "required": ["error", "message", "retryable"],
    "additionalProperties": False,
}
