"""Every diagnostic code with its severity and meaning (spec: diagnostics 2 to 5)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from sezzlee_py.model.diagnostic import Severity

_FATAL, _DROPPED = Severity.FATAL, Severity.ENDPOINT_DROPPED
_WARNING, _INFO = Severity.WARNING, Severity.INFO

DIAGNOSTIC_CODES: Final[Mapping[str, tuple[Severity, str]]] = MappingProxyType(
    {
        "name_collision": (
            _FATAL,
            "two tools with one name that `naming.on_collision` does not settle",
        ),
        "invalid_name": (_FATAL, "name does not match the pattern"),
        "ambiguous_selection": (_FATAL, "include and exclude on one level"),
        "ambiguous_curation": (_FATAL, "two different records of one level"),
        "sealed_curation_overridden": (_FATAL, "a sealed record is overridden"),
        "hidden_required_omitted": (
            _DROPPED,
            "a required argument is hidden with OMIT; fatal on a path parameter",
        ),
        "query_notation_unparsed": (
            _FATAL,
            "grouped query on a backend that does not parse the notation",
        ),
        "prm_path_prefixed": (_FATAL, "metadata document cannot be at the server root"),
        "argument_collision": (
            _DROPPED,
            "two arguments that an agent could not tell apart by name",
        ),
        "duplicate_argument": (
            _DROPPED,
            "one name twice in one location, or two records for one name",
        ),
        "multiple_body_bindings": (_DROPPED, "two body declarations"),
        "unsupported_binding": (_DROPPED, "no writer for any accepted media type"),
        "unsupported_body_shape": (_DROPPED, "form, multipart or text body without wire form"),
        "content_type_not_accepted": (_DROPPED, "`consumes` not accepted by the backend"),
        "form_antiforgery_required": (_DROPPED, "visible CSRF check"),
        "unresolved_file_field": (_DROPPED, "multipart file without a known name"),
        "unsupported_method": (_DROPPED, "method without counterpart"),
        "schema_def_conflict": (_DROPPED, "one `$defs` key, two bodies"),
        "recursive_parameter_schema": (_DROPPED, "parameter recursive at its top"),
        "template_rejected": (_DROPPED, "a template rule without a code of its own"),
        "identity_carrier_parameter": (_DROPPED, "data parameter in an identity slot"),
        "unresolved_query_shape": (_DROPPED, "no member of a query object readable"),
        "unsupported_array_style": (_DROPPED, "array style without wire form"),
        "header_parameter_array": (_DROPPED, "header array that would repeat"),
        "unsupported_object_style": (_DROPPED, "object parameter outside `deepObject` rules"),
        "unsupported_object_nesting": (_DROPPED, "member more than one level deep"),
        "unsupported_parameter_style": (_DROPPED, "style not for this location"),
        "unsupported_parameter_content": (
            _DROPPED,
            "`contentType` with style, or unusable media type",
        ),
        "invalid_cookie_name": (_DROPPED, "not an RFC 6265 token"),
        "multiple_querystring": (_DROPPED, "two whole-query parameters"),
        "querystring_with_query": (_DROPPED, "a whole-query parameter beside query parameters"),
        "conflicting_body_modes": (_DROPPED, "body root and body fields in one template"),
        "curation_unresolved": (_DROPPED, "record names nothing"),
        "invalid_fill_constant": (_DROPPED, "constant does not fit the slot"),
        "unknown_fill_source": (_DROPPED, "provider not registered"),
        "variant_declaration_conflict": (_DROPPED, "`name=` together with variants"),
        "variant_body_without_family": (_DROPPED, "body on a plain variant"),
        "variant_body_invalid": (_DROPPED, "member body not self-contained"),
        "family_parameter_unresolved": (_DROPPED, "dispatch parameter missing or not scalar"),
        "family_without_members": (_DROPPED, "no member"),
        "family_key_unfilled": (
            _DROPPED,
            "a member does not hide the dispatch parameter with a constant",
        ),
        "family_key_duplicate": (_DROPPED, "two members with one key"),
        "unknown_family_source": (_DROPPED, "the member source is not registered"),
        "family_source_failed": (_DROPPED, "the member source never succeeded"),
        "family_not_loaded": (_DROPPED, "the member source is not loaded yet"),
        "long_tool_name": (_WARNING, "over 64 characters"),
        "name_disambiguated": (_WARNING, "a prefix or a route-based name tells equal names apart"),
        "route_shadowed": (_WARNING, "an earlier route or mount takes every call"),
        "argument_renamed": (_WARNING, "one name in several locations"),
        "duplicate_tag": (_WARNING, "a tag that folds like an earlier one is dropped"),
        "empty_tag": (_WARNING, "a tag that folds to nothing is dropped"),
        "duplicate_search_term": (
            _WARNING,
            "a search term that folds like an earlier one is dropped",
        ),
        "empty_search_term": (_WARNING, "a search term that folds to nothing is dropped"),
        "synthetic_body_argument": (
            _WARNING,
            "a body that is not an object is the argument `body`",
        ),
        "optional_body_argument": (_WARNING, "an optional body is the argument `body`"),
        "unflattenable_body_root": (_WARNING, "root with a keyword flattening would lose"),
        "body_field_collision": (_WARNING, "field equals a parameter"),
        "undeclared_body": (_WARNING, "the view says nothing about its body"),
        "unbound_query_object": (
            _WARNING,
            "members of a query model that cannot travel are left out",
        ),
        "query_member_shadowed": (
            _WARNING,
            "a query model field that another parameter already names",
        ),
        "unbound_header_object": (_WARNING, "a header binding that cannot be read is left out"),
        "unsupported_dictionary_key": (_WARNING, "value shape dropped"),
        "unreadable_shape": (_WARNING, "boundary object published"),
        "schema_def_name_disambiguated": (
            _WARNING,
            "two models share one name; the later is numbered",
        ),
        "schema_depth_truncated": (_WARNING, "the depth limit replaced a branch"),
        "enum_format_unresolved": (_WARNING, "the wire form of an enum is unreadable"),
        "naming_policy_unresolved": (_WARNING, "the wire name of a field is unreadable"),
        "curated_open_body": (_WARNING, "an argument is hidden on a body that takes extra keys"),
        "curation_leaks_name": (
            _WARNING,
            "the tool name or description contains a hidden or renamed wire name",
        ),
        "curation_leaks_name_in_argument": (
            _WARNING,
            "a declared argument description contains one",
        ),
        "curation_unused_on_kept_route": (_WARNING, "a record fits only a folded-away route"),
        "variant_indistinguishable": (_WARNING, "equal schema and description"),
        "family_source_stale": (_WARNING, "a member source failed; its last members stay"),
        "family_member_rejected": (_WARNING, "one sourced member is left out"),
        "credential_parameter_ignored": (_WARNING, "a credential is not an argument"),
        "identity_cookie_parameter": (_WARNING, "an identity cookie is not an argument"),
        "identity_cookie_uncovered": (_WARNING, "an identity cookie that no security scheme names"),
        "reserved_header_parameter_ignored": (
            _WARNING,
            "a connection or trust header is not an argument",
        ),
        "route_folded": (_INFO, "one operation, several routes"),
        "catch_all_skipped": (_INFO, "a root catch-all without a marker of its own"),
        "annotation_removed": (_INFO, "a schema annotation is removed"),
        "openapi_document_unparseable": (_FATAL, "the document is neither JSON nor YAML"),
        "openapi_version_unsupported": (_FATAL, "not Swagger 2.0 or OpenAPI 3.x"),
        "external_ref_blocked": (_FATAL, "an external reference without a loader that admits it"),
        "server_variable_invalid": (_FATAL, "a server variable outside its enum"),
        "server_url_unresolvable": (_FATAL, "a relative server URL without a base"),
        "circular_component_ref": (_DROPPED, "a component refers to itself"),
        "unsupported_collection_format": (_DROPPED, "a collection format without a style"),
        "unsupported_media_type": (_DROPPED, "no media type the SDK writes"),
        "unsupported_encoding": (_DROPPED, "a multipart encoding that is not the default"),
        "streaming_response_unsupported": (_DROPPED, "a success that only streams"),
        "server_host_not_allowed": (_DROPPED, "a server outside the allow-list"),
        "security_unsatisfiable": (
            _DROPPED,
            "no alternative of the security requirement can be met",
        ),
        "openapi_document_invalid": (
            _WARNING,
            "a part of the document does not have the shape the standard gives it",
        ),
        "ref_siblings_ignored": (_WARNING, "keywords beside a reference before OpenAPI 3.1"),
        "allow_empty_value_ignored": (_WARNING, "allowEmptyValue has no effect"),
        "request_media_type_alternative_ignored": (
            _WARNING,
            "further request media types are not written",
        ),
        "operation_id_unusable": (_WARNING, "an operation id that makes no legal name"),
        "search_terms_invalid": (_WARNING, "x-sezzlee-search-terms is not a list of strings"),
        "callbacks_ignored": (_WARNING, "callbacks are not offered"),
        "links_ignored": (_WARNING, "links are not offered"),
        "webhooks_ignored": (_WARNING, "webhooks are not offered"),
        "security_scheme_unsupported": (_WARNING, "a security scheme that cannot be used"),
        "document_route_unmatched": (
            _WARNING,
            "a documented operation without a route, or the reverse",
        ),
    }
)

# These say that two parts of the catalog contradict each other; lowered, they drop all involved.
CONSISTENCY_CODES: Final = frozenset(
    {
        "name_collision",
        "invalid_name",
        "ambiguous_selection",
        "ambiguous_curation",
        "sealed_curation_overridden",
    }
)


def default_severity(code: str) -> Severity:
    """Return the severity that the table gives `code`.

    Raises:
        KeyError: for a code that is not in the table.
    """
    return DIAGNOSTIC_CODES[code][0]
