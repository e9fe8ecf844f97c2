// What an agent's context pays, for three tools and for listing everything.

import { bar, el, number, table } from "./dom.js";

export function costView(overview) {
  const costs = overview.costs;
  const most = Math.max(costs.everything.tokens, costs.task.tokens, 1);
  const rows = [
    ["The three meta-tools", "always in the context", costs.meta_tools],
    ["A search that answers with a page of cards", "when the agent looks for something", costs.search],
    ["The contract of one tool (median)", "when the agent has chosen", costs.load],
    ["Sum: three tools, one search, one contract", "what a first call takes", costs.task],
    [`Listing all ${number(costs.tools)} tools instead`, "always in the context", costs.everything],
  ];
  return el(
    "div",
    { class: "single" },
    el("h2", {}, "What it costs an agent's context"),
    el("p", { class: "lead" }, verdict(costs)),
    table(
      "Costs",
      ["what", { text: "paid", wide: true }, { text: "bytes", number: true }, { text: "tokens ≈", number: true }, { text: "compared", wide: true }],
      rows.map(([name, when, cost], at) => [
        at > 2 ? el("strong", {}, name) : name,
        el("span", { class: "hint" }, when),
        number(cost.bytes),
        number(cost.tokens),
        bar(cost.tokens / most, at === 4 ? "other" : ""),
      ]),
    ),
    el("p", { class: "hint" }, costs.method),
    el("p", { class: "hint" }, `Counted over the ${number(costs.tools)} tools that this caller sees.`),
    overview.listing === "direct" && el("p", { class: "note" }, "This application lists its tools directly (transport.listing)."),
  );
}

function verdict(costs) {
  const { task, everything } = costs;
  if (everything.tokens <= task.tokens)
    return `With ${number(costs.tools)} tools, listing everything is still the smaller one: ≈ ${number(everything.tokens)} tokens against ≈ ${number(task.tokens)} for a first call by way of search.`;
  return `Listing everything takes ${(everything.tokens / task.tokens).toFixed(1)} times the tokens of a first call by way of search, and stays in the context for the whole conversation.`;
}
