// Which view is shown, and for which caller.

import { ask, callerHeaders, readHeaders, setCaller } from "./api.js";
import { costView } from "./costs.js";
import { byId, counted, el, fill, number, tell } from "./dom.js";
import { findingList, findingsView } from "./findings.js";
import { searchView } from "./search.js";
import { toolsView } from "./tools.js";

const TITLES = { tools: "Tools", search: "Search", findings: "Findings", cost: "Cost" };
let overview = null;

function route() {
  const [view, ...rest] = location.hash.slice(1).split("/");
  let name = rest.join("/");
  try {
    name = decodeURIComponent(name);
  } catch {
    // Not ours; the name is looked up as it stands.
  }
  return { view: view in TITLES ? view : "tools", name: rest.length ? name : undefined };
}

function show() {
  if (location.hash === "#main") return;
  const { view, name } = route();
  for (const link of document.querySelectorAll("nav a")) {
    if (link.hash === `#${view}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${name ?? TITLES[view]} · sezzlee explorer`;
  const main = byId("main");
  if (overview.error) {
    fill(main, el("div", { class: "single" }, el("p", { class: "alert", role: "alert" }, overview.message), findingList(overview.findings ?? [])));
    return;
  }
  const views = { tools: () => toolsView(overview, name), search: () => searchView(overview, name), findings: () => findingsView(overview), cost: () => costView(overview) };
  const list = document.querySelector(".list");
  const top = list ? list.scrollTop : 0;
  fill(main, views[view]());
  const renewed = document.querySelector(".list");
  if (renewed) renewed.scrollTop = top;
}

async function load() {
  overview = await ask("overview");
  const names = Object.keys(callerHeaders());
  byId("caller-name").textContent = names.length ? `the caller with ${names.join(", ")}` : "a caller without headers";
  byId("caller-left").textContent = overview.left_behind ?? "";
  byId("caller-left").hidden = !overview.left_behind;
  if (overview.error) {
    fill(byId("numbers"));
    fill(byId("caller-sees"));
  } else {
    const { catalog, seen, findings } = overview;
    byId("numbers").textContent = `${counted(catalog.tools, "tool")} of ${counted(catalog.discovered, "operation")}`;
    byId("caller-sees").textContent = `, who sees ${number(seen.visible)} of ${counted(catalog.tools, "tool")}`;
    const grave = findings.filter((found) => found.severity !== "info").length;
    byId("findings-count").textContent = grave ? String(grave) : "";
    tell(byId("caller-sees").textContent.replace(/^, who/, "The caller"));
  }
  show();
}

function listenToCaller() {
  const text = byId("caller-headers");
  const hint = byId("caller-hint");
  byId("caller-form").addEventListener("submit", (event) => {
    event.preventDefault();
    try {
      setCaller(readHeaders(text.value));
    } catch (fault) {
      hint.textContent = fault.message;
      text.setAttribute("aria-invalid", "true");
      return;
    }
    text.removeAttribute("aria-invalid");
    hint.textContent = "They stay in this tab. Searches, contracts and calls are made with them.";
    load();
  });
  byId("caller-clear").addEventListener("click", () => {
    text.value = "";
    setCaller({});
    load();
  });
}

// A slash goes to the field that finds things, as on other pages of this kind.
document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input, textarea, select");
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  const field = document.querySelector("[data-slash]");
  if (field) {
    event.preventDefault();
    field.focus();
  }
});
window.addEventListener("hashchange", show);
listenToCaller();
load();
