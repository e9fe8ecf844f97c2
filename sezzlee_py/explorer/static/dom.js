// Makes elements. Whatever comes from the application becomes text nodes, never HTML.

const PROPERTIES = new Set(["value", "checked", "disabled", "open", "htmlFor", "className", "type"]);

export function el(name, given = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (PROPERTIES.has(key)) element[key] = value;
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function fill(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter(Boolean));
  return element;
}

export function byId(id) {
  return document.getElementById(id);
}

export function tell(text) {
  byId("status").textContent = text;
}

export function json(value) {
  const pre = el("pre", { tabindex: "0" });
  pre.textContent = JSON.stringify(value, null, 2);
  return pre;
}

// Heads are texts, or { text, number, wide }: numbers stand right, wide columns need a wide screen.
export function table(caption, heads, rows) {
  return el(
    "div",
    { class: "scroll", tabindex: "0", role: "group", "aria-label": caption },
    el(
      "table",
      {},
      el("caption", { class: "unseen" }, caption),
      el("thead", {}, el("tr", {}, heads.map((head) => el("th", { scope: "col", class: kindOf(head) }, head.text ?? head)))),
      el("tbody", {}, rows.map((row) => el("tr", {}, row.map((cell, at) => el("td", { class: kindOf(heads[at]) }, cell))))),
    ),
  );
}

function kindOf(head) {
  return head.number ? "number" : head.wide ? "wide" : null;
}

export function number(value) {
  return value.toLocaleString("en");
}

export function counted(value, noun) {
  return `${number(value)} ${noun}${value === 1 ? "" : "s"}`;
}

export function score(value) {
  return value === null || value === undefined ? "" : value.toFixed(3);
}

export function place(found) {
  if (!found.source) return found.pointer ?? "";
  return found.line ? `${found.source}, line ${found.line}` : found.source;
}

// A bar whose length is a share of 1.
export function bar(share, kind = "") {
  const inner = el("span", {});
  inner.style.setProperty("width", `${Math.max(0, Math.min(1, share)) * 100}%`);
  return el("span", { class: `bar-of ${kind}`, "aria-hidden": "true" }, inner);
}
