"""English words with a role in queries: stop words, verb classes, what leads to an app's name."""

from __future__ import annotations

from typing import Final

_STOP_WORDS: Final = """
    a an the this that these those such same own other
    i me my mine myself we us our ours you your yours he him his she her hers it its
    they them their theirs someone something anyone anything everything
    am is are was were be been being do does did doing have has had having
    can could will would shall should may might must cannot
    of in on at by for from with about into onto over under between through during
    to out up down off and or but nor so if then than as while because
    what which who whom whose when where why how there here
    please want wish need like help hello hi hey thank thanks let lets kindly tell give
    looking trying just some any also very really much many more most only not no yes
    don didn doesn isn won cant couldn wouldn ve re ll im ive
"""
STOP_WORDS: Final = frozenset(_STOP_WORDS.split())

# Each line is one thing a caller may want done; the words of a line are said for one another.
VERB_CLASSES: Final = tuple(
    tuple(line.split())
    for line in """
    get fetch retrieve read show view display obtain see lookup
    list all enumerate browse
    create add new make insert register open place
    update edit change modify set patch rename adjust
    delete remove destroy erase drop clear
    send post publish submit deliver
    buy purchase
    upload attach import
    download export
    start run launch begin trigger execute
    stop cancel end terminate abort halt
    enable activate allow turn
    search find query discover look
    """.strip().splitlines()
)

# What is asked of every application in words of its own: where no tool has a verb of the class,
# what the query is about decides. What takes away, stops or moves is a wish by itself: where
# nobody knows it, it is not offered.
_ASKING: Final = frozenset({"get", "list", "search", "create", "edit", "send", "buy"})
ASKING_VERBS: Final = frozenset(
    word for line in VERB_CLASSES if not _ASKING.isdisjoint(line) for word in line
)

# Said of when, which is a value of a call and not what the call can do.
_TIME_WORDS: Final = """
    now today tonight tomorrow yesterday noon midnight
    second minute hour day week weekend month quarter year
    seconds minutes hours days weeks weekends months quarters years
    morning afternoon evening night
    monday tuesday wednesday thursday friday saturday sunday
    january february march april june july august september october november december
"""
TIME_WORDS: Final = frozenset(_TIME_WORDS.split())

APP_PREPOSITIONS: Final = frozenset(("in", "on", "from", "via", "using", "with"))
