"""What each option does, in the words of the page of options; the rest of the page is from code."""

from typing import Final

MEANINGS: Final = {
    "tags": "Tags for a container (router, mount, blueprint) that declares none, by its name.",
    "search_terms": "Search terms for a container that declares none, by its name.",
    "fills": "Functions for hidden arguments, by the name that `Provider` refers to; see "
    "[curating arguments](../guides/curating-arguments.md).",
    "families": "Sources of [families](../guides/variants-and-families.md), by name.",
    "dispatch_app": "The application that calls enter, where you wrapped yours from outside; by "
    "default the one that was mounted.",
    "selection.default": "Whether an operation without any declaration is offered.",
    "selection.rules": "`SelectionRule`s over route and method, for what is not declared on the "
    "handler; see [declaring](../guides/declaring.md).",
    "naming.prefix": "The prefix of a container's tool names; an empty text is none. By default "
    "derived from the container's name. See [naming](../guides/naming.md).",
    "naming.prefix_mode": "Whether every tool of a container gets the prefix, or only those whose "
    "names would coincide without it.",
    "naming.on_collision": "Whether derived names that coincide take their routes' names (with a "
    "warning) or are a fatal finding.",
    "schema.drop_read_only": "Leaves fields marked `readOnly` out of inputs.",
    "schema.max_depth": "Levels after which a branch of a schema is left open; `None` cuts "
    "nothing.",
    "schema.type_name": "Names a type's entry in `$defs`.",
    "schema.type_shape": "Gives the JSON Schema of a type; wins over what is read from it.",
    "query.grouping": "Whether a query model is published as its fields or as one object.",
    "query.parses": "The notation of objects in a query that your application parses; needed for "
    "`group`.",
    "curation.rules": "`CurationRule`s: how arguments of matching operations are shown; see "
    "[curating arguments](../guides/curating-arguments.md).",
    "invoke.max_response_bytes": "Bytes of an answer; a larger one is refused with a way to narrow "
    "it. See [timeouts and budgets](../guides/timeouts-and-budgets.md).",
    "invoke.timeout_ms": "Milliseconds for a call; 0 is no deadline.",
    "invoke.max_response_bytes_for": "The limit of one operation, or `None` for the general one.",
    "invoke.timeout_ms_for": "The deadline of one operation, or `None` for the general one.",
    "invoke.forward_html": "Gives HTML of a success to the agent instead of its content type only.",
    "invoke.max_inline_file_bytes": "Bytes of all files of a call that are given inline; see "
    "[files](../guides/files.md).",
    "invoke.max_file_bytes": "Bytes of the files that `files.resolver` gives.",
    "invoke.cancel_grace_ms": "Milliseconds between telling a late call that its client is gone "
    "and cancelling its task; under WSGI nothing is cancelled.",
    "errors.recognize": "Functions that read your own error bodies; see "
    "[errors](../concepts/errors.md).",
    "errors.mapper": "One function in place of all recognisers, the built-in ones included.",
    "search.ranker": "A [ranker of your own](../search/bind-your-own-ranker.md); by default "
    "`LexicalRanker`.",
    "search.floor": "From 0 (everything is an answer) to 1 (every word must be known); `None` is "
    "the ranker's own: 0.5, and 0 for `BM25Ranker`. See "
    "[how search works](../search/how-search-works.md#when-nothing-is-the-answer).",
    "search.floor_scope": "Whether the floor judges the query once or tool by tool; `None` is the "
    "ranker's own: `'query'`, and `'tool'` for `BM25Ranker` and `WeightedTokenRanker`.",
    "search.exact_name_first": "Puts the tool whose name the query equals first.",
    "search.ranker_timeout_ms": "Milliseconds for your own ranker; 0 is no deadline.",
    "search.on_ranker_failure": "Whether the built-in ranker answers when yours fails, or the "
    "agent is told.",
    "search.tag_vocabulary_limit": "With more tags than this, `search_tools` names none of them.",
    "visibility.unknown": "Whether a tool is shown when nothing says who may call it; see "
    "[who sees what](../guides/who-sees-what.md).",
    "visibility.restricted": "Whether a tool that the caller may not call is hidden or named.",
    "visibility.evaluate_policy": "Tells whether a caller meets a policy that an operation names.",
    "visibility.identity": "Tells whether a caller is signed in.",
    "visibility.probe": "Asks the application itself about tools whose visibility is unknown.",
    "visibility.probe_top_k": "How many tools of a search are probed at most.",
    "visibility.probe_concurrency": "How many probes run side by side.",
    "visibility.probe_values": "Values for path parameters of probes, by name.",
    "cache.lifetime_ms": "Milliseconds that facts about a caller are kept.",
    "cache.max_callers": "How many callers are remembered.",
    "cache.store": "Your own store of these facts; by default memory of the process.",
    "cache.scope_resolver": "Gives the scope under which facts of a caller are kept; by default a "
    "digest of the carriers.",
    "replicas.bus": "Tells the other processes of a reload and of what is to be forgotten; see "
    "[shared state on Redis](../guides/shared-state-on-redis.md).",
    "replicas.reload": "Whether a process that hears of another's reload rebuilds its own catalog, "
    "or only tells its clients.",
    "identity.carriers": "Headers of the agent's request that travel with a call, in place of the "
    "default; see "
    "[identity and headers](../concepts/identity-and-headers.md).",
    "identity.project": "Replaces or removes carriers of a call.",
    "identity.carry_context": "Context variables that are visible inside a call.",
    "identity.cookies": "Further names of cookies that hold identity, and so are no arguments.",
    "identity.environ": "WSGI: keys of the environ, such as `REMOTE_USER`, that travel with a "
    "call.",
    "files.resolver": "Turns a reference that an agent gives into a file's bytes; see "
    "[files](../guides/files.md).",
    "files.ref_description": "What agents read about such a reference.",
    "transport.path": "Where the endpoint is.",
    "transport.title": "What clients show people as the name of your server. By default "
    "FastAPI's `app.title`, Flask's `app.name`, nothing for Starlette.",
    "transport.instructions": "What agents are told about your application when they connect, "
    "where their client passes it on.",
    "transport.listing": "Whether agents get the three meta-tools or all tools at once; see "
    "[search first](../concepts/search-first.md).",
    "transport.allowed_origins": "Values of `Origin` that may call; `None` is loopback only.",
    "transport.allowed_hosts": "Values of `Host` that may be asked; `None` is any.",
    "transport.max_request_bytes": "Bytes of one MCP request.",
    "resource_server.metadata": "The protected resource metadata (RFC 9728) that is served; see "
    "[protect the endpoint](../guides/protect-the-endpoint.md).",
    "resource_server.challenge_scope": "The scope named in the challenge of a 401.",
    "diagnostics.escalate": "Raises the severity of [findings](diagnostics.md), by code.",
    "diagnostics.downgrade": "Lowers the severity of findings, by code.",
    "diagnostics.silence": "Codes of warnings and infos that stay out of the log.",
}
