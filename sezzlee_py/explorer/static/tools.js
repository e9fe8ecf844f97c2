// The tools by tag, with a filter, and one tool as an agent gets it.

import { ask } from "./api.js";
import { callForm } from "./call.js";
import { counted, el, fill, json, number, place, table, tell } from "./dom.js";
import { findingList } from "./findings.js";

const SIGHTS = {
  allow: "seen",
  unknown: "seen, uncertain",
  deny: "not seen",
  hidden: "not seen, undecided",
};
const MOST = 300;
const state = { filter: "", tag: "", seenOnly: false, all: false };

export function toolsView(overview, chosen) {
  const list = el("div", { class: "groups" });
  const count = el("p", { class: "hint", role: "status" });
  const refresh = () => fillList(list, count, overview, chosen, refresh);
  const filter = el("input", {
    type: "search",
    id: "filter",
    "data-slash": true,
    placeholder: "name, route, words",
    value: state.filter,
    oninput: (event) => {
      state.filter = event.target.value;
      refresh();
    },
  });
  const tag = el(
    "select",
    { id: "tag", onchange: (event) => { state.tag = event.target.value; refresh(); } },
    el("option", { value: "" }, "all tags"),
    Object.entries(overview.tags).map(([name, size]) => el("option", { value: name }, `${name} (${size})`)),
  );
  tag.value = state.tag in overview.tags ? state.tag : "";
  state.tag = tag.value;
  const seen = el("input", {
    type: "checkbox",
    id: "seen-only",
    checked: state.seenOnly,
    onchange: (event) => { state.seenOnly = event.target.checked; refresh(); },
  });
  refresh();
  const detail = el("section", { class: "detail", id: "detail", tabindex: "-1", "aria-label": "The chosen tool" });
  if (chosen) showTool(detail, chosen);
  else fill(detail, el("p", { class: "empty" }, overview.tools.length ? "Choose a tool to see what an agent gets of it." : "There are no tools yet: declare a route with @mcp_tool, and look at the findings."));
  return el(
    "div",
    { class: chosen ? "panes chosen" : "panes" },
    el(
      "section",
      { class: "list", "aria-label": "Tools" },
      el("h2", { class: "unseen" }, "Tools"),
      el("div", { class: "filters" },
        el("label", { htmlFor: "filter" }, "Filter"), filter,
        el("label", { htmlFor: "tag", class: "unseen" }, "Tag"), tag,
        el("span", { class: "check" }, seen, el("label", { htmlFor: "seen-only" }, "only what the caller sees"))),
      count,
      list,
    ),
    detail,
  );
}

function fillList(list, count, overview, chosen, refresh) {
  const words = state.filter.toLowerCase().split(/\s+/).filter(Boolean);
  const kept = overview.tools.filter(
    (tool) =>
      (!state.tag || tool.tags.includes(state.tag)) &&
      (!state.seenOnly || tool.sight === "allow" || tool.sight === "unknown") &&
      words.every((word) => `${tool.name} ${tool.method} ${tool.route} ${tool.description}`.toLowerCase().includes(word)),
  );
  const shown = state.all ? kept : kept.slice(0, MOST);
  count.textContent = `${number(kept.length)} of ${counted(overview.tools.length, "tool")}`;
  const groups = new Map();
  for (const tool of shown) {
    const name = (state.tag && tool.tags.includes(state.tag) ? state.tag : tool.tags[0]) ?? "without a tag";
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(tool);
  }
  const sorted = [...groups].sort(([one], [other]) => (one < other ? -1 : 1));
  fill(
    list,
    sorted.map(([name, tools]) => [
      el("h3", {}, name, " ", el("span", { class: "count" }, String(tools.length))),
      el("ul", { class: "names" }, tools.map((tool) => item(tool, chosen))),
    ]),
    kept.length > shown.length &&
      el("button", { type: "button", class: "quiet", onclick: () => { state.all = true; refresh(); } }, `Show all ${number(kept.length)}`),
  );
}

function item(tool, chosen) {
  const isSeen = tool.sight === "allow" || tool.sight === "unknown";
  return el(
    "li",
    {},
    el(
      "a",
      { href: `#tools/${encodeURIComponent(tool.name)}`, "aria-current": tool.name === chosen ? "true" : null, class: isSeen ? null : "unseen-tool" },
      el("span", { class: "name" }, foldable(tool.name)),
      el("span", { class: "where" }, `${tool.method} ${tool.route}`),
      tool.sight !== "allow" && el("span", { class: `badge ${tool.sight}` }, SIGHTS[tool.sight]),
    ),
  );
}

// A long name breaks at its words.
function foldable(name) {
  return name.split(/(?<=_)/).flatMap((word, at) => (at ? [el("wbr"), word] : [word]));
}

async function showTool(detail, name) {
  fill(detail, el("p", { class: "empty" }, "Loading …"));
  const tool = await ask("tool", { name });
  if (tool.error) {
    fill(detail, el("p", { class: "alert", role: "alert" }, tool.message), findingList(tool.findings ?? []));
    return;
  }
  fill(
    detail,
    el("p", { class: "back" }, el("a", { href: "#tools" }, "← All tools")),
    el("h2", {}, tool.name),
    el("p", { class: "operation" }, el("code", {}, `${tool.method} ${tool.route}`), badges(tool)),
    el("p", { class: "description" }, tool.description),
    facts(tool),
    tool.findings.length > 0 && [el("h3", {}, "Findings"), findingList(tool.findings)],
    el("h3", {}, "Try it"),
    tool.invocable ? callForm(tool) : el("p", { class: "hint" }, "This tool cannot be invoked: its findings say why."),
    el("h3", {}, "Arguments and where they travel"),
    tool.slots.length
      ? table("Arguments", ["argument", "travels as", "in", "backend requires"], tool.slots.map((slot) => [el("code", {}, slot.argument), el("code", {}, slot.name), slot.location, slot.required ? "yes" : "no"]))
      : el("p", { class: "hint" }, "It takes no arguments."),
    el("h3", {}, "Card, as a search shows it ", size(tool.costs.card)),
    json(tool.card),
    el("h3", {}, "Contract, as loading shows it ", size(tool.costs.loaded)),
    json(tool.loaded),
  );
  tell(`${tool.name} is shown`);
  if (matchMedia("(max-width: 52rem)").matches) detail.focus();
}

function size(cost) {
  return el("span", { class: "count" }, `≈ ${number(cost.tokens)} tokens`);
}

function badges(tool) {
  const hints = { readOnlyHint: "read-only", destructiveHint: "destructive", idempotentHint: "idempotent" };
  return [
    el("span", { class: `badge ${tool.sight}` }, SIGHTS[tool.sight]),
    Object.entries(hints).filter(([key]) => tool.annotations[key]).map(([, text]) => el("span", { class: text === "destructive" ? "badge deny" : "badge" }, text)),
    tool.deprecated && el("span", { class: "badge unknown" }, "deprecated"),
  ];
}

function facts(tool) {
  const anonymous = { yes: "open to everybody", no: "needs an identity", unknown: "does not declare whether it needs an identity" };
  const rows = [
    ["declared in", place(tool)],
    ["also reached at", tool.alternate_routes.join(", ")],
    ["tags", tool.tags.join(", ")],
    ["search terms", tool.search_terms.join(", ")],
    ["access", [anonymous[tool.auth.anonymous], ...tool.auth.policies.map((policy) => `policy ${policy}`), ...(tool.auth.imperative ? ["its own code decides too"] : [])].join(", ")],
    ["version", tool.version],
  ];
  return el("dl", { class: "facts" }, rows.filter(([, value]) => value).map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
}
