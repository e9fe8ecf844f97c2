// What an agent finds for a query, in which order, and why.

import { ask } from "./api.js";
import { bar, counted, el, fill, number, score, table, tell } from "./dom.js";
import { findingList } from "./findings.js";

const state = { query: "", tag: "", everything: false };
let latest = 0;
let timer = 0;

export function searchView(overview, query) {
  if (query !== undefined) state.query = query;
  const results = el("div", { class: "results" });
  const run = () => find(results);
  const input = el("input", {
    type: "search",
    id: "query",
    "data-slash": true,
    placeholder: "two to four words, such as: cancel order",
    value: state.query,
    autocomplete: "off",
    oninput: (event) => {
      state.query = event.target.value;
      clearTimeout(timer);
      timer = setTimeout(run, 150);
    },
  });
  const tag = el(
    "select",
    { id: "search-tag", onchange: (event) => { state.tag = event.target.value; run(); } },
    el("option", { value: "" }, "all tags"),
    Object.keys(overview.tags).map((name) => el("option", { value: name }, name)),
  );
  tag.value = state.tag in overview.tags ? state.tag : "";
  const everything = el("input", { type: "checkbox", id: "everything", checked: state.everything, onchange: (event) => { state.everything = event.target.checked; run(); } });
  const form = el(
    "form",
    { class: "query", role: "search", onsubmit: (event) => { event.preventDefault(); run(); } },
    el("label", { htmlFor: "query" }, "Query"), input,
    el("label", { htmlFor: "search-tag", class: "unseen" }, "Tag"), tag,
    el("span", { class: "check" }, everything, el("label", { htmlFor: "everything" }, "all tools, whoever may see them")),
  );
  run();
  return el("div", { class: "single" }, el("h2", {}, "What an agent finds"), form, results);
}

async function find(results) {
  const mine = ++latest;
  const found = await ask("search", { query: state.query, tags: state.tag ? [state.tag] : [], everything: state.everything, limit: 50 });
  // An answer that was overtaken is of no interest.
  if (mine !== latest) return;
  if (found.error) {
    fill(results, el("p", { class: "alert", role: "alert" }, found.message), findingList(found.findings ?? []));
    return;
  }
  const best = Math.max(...found.results.map((one) => one.score ?? 0), 0);
  const summary = `${number(found.results.length)} found among ${counted(found.total, "visible tool")}`;
  tell(summary);
  fill(
    results,
    el("p", { class: "hint" }, summary, found.hidden ? `; ${number(found.hidden)} more are hidden from this caller` : "", found.ranker === "host" ? "; ordered by the application's own ranker" : `; ordered by ${found.ranker}`),
    found.unmatched && el("p", { class: "note" }, "No visible tool knows: ", found.unmatched.map((word) => [el("code", {}, word), " "])),
    found.restricted && el("p", { class: "note" }, `${number(found.restricted.count)} more would match and are denied to this caller.`),
    el("ol", { class: "hits" }, found.results.map((one) => hit(one, best))),
    found.below_floor && found.below_floor.length > 0 && [
      el("h3", {}, "Left out by the floor"),
      el("p", { class: "hint" }, found.unmatched ? "The words that nobody knows weigh too much in the query for an honest answer." : "They match too little of the query for an honest answer."),
      el("ul", { class: "plain" }, found.below_floor.map((one) => el("li", {}, link(one.name), " ", el("span", { class: "count" }, score(one.score))))),
    ],
  );
}

function link(name) {
  return el("a", { href: `#tools/${encodeURIComponent(name)}` }, name);
}

function hit(one, best) {
  const why = one.explanation;
  return el(
    "li",
    {},
    el("p", { class: "hit" }, el("span", { class: "rank" }, `${one.rank}.`), link(one.name), one.authUncertain && el("span", { class: "badge unknown" }, "uncertain"), one.score !== null && [bar(best ? one.score / best : 0), el("span", { class: "score" }, score(one.score))]),
    el("p", { class: "description" }, one.description),
    why && why.shares.length > 0 && el("details", {}, el("summary", {}, "Why"), reasons(one, why)),
  );
}

function reasons(one, why) {
  const most = Math.max(...why.shares.map((share) => share.share), 0);
  return [
    table(
      `Why ${one.name} is found`,
      ["term", "matched", "field", { text: "weight", number: true }, { text: "share", number: true }, { text: "compared", wide: true }],
      why.shares.map((share) => [el("code", {}, share.term), el("code", {}, share.matched), share.field, score(share.weight), score(share.share), bar(most ? share.share / most : 0)]),
    ),
    Object.keys(why.factors).length > 0 && el("p", { class: "hint" }, "times ", Object.entries(why.factors).map(([name, value]) => `${name} × ${value.toFixed(3)}`).join(", ")),
    why.unmatched.length > 0 && el("p", { class: "hint" }, `not matched here: ${why.unmatched.join(", ")}`),
  ];
}
