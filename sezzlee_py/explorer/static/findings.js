// What was found about the application while its routes were read.

import { el, place } from "./dom.js";

const NAMES = { fatal: "fatal", endpointDropped: "dropped", warning: "warning", info: "info" };
const KINDS = { fatal: "deny", endpointDropped: "deny", warning: "unknown", info: "" };

export function findingsView(overview) {
  const findings = overview.findings;
  const counts = Object.keys(NAMES)
    .map((severity) => [severity, findings.filter((found) => found.severity === severity).length])
    .filter(([, size]) => size);
  return el(
    "div",
    { class: "single" },
    el("h2", {}, "Findings"),
    findings.length
      ? el("p", { class: "hint" }, counts.map(([severity, size]) => `${size} ${NAMES[severity]}`).join(", "))
      : el("p", { class: "empty" }, "Nothing was found: every declared route is a tool as it stands."),
    findingList(findings),
  );
}

export function findingList(findings) {
  if (!findings.length) return null;
  return el(
    "ul",
    { class: "findings" },
    findings.map((found) =>
      el(
        "li",
        {},
        el("p", {}, el("span", { class: `badge ${KINDS[found.severity]}` }, NAMES[found.severity] ?? found.severity), el("code", {}, found.code), found.operation && el("span", { class: "where" }, found.operation)),
        el("p", { class: "description" }, found.message),
        place(found) && el("p", { class: "source" }, el("code", {}, place(found))),
      ),
    ),
  );
}
