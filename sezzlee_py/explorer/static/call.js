// A form for the arguments of one tool, and the answer as an agent gets it.

import { ask } from "./api.js";
import { el, fill, json, number, tell } from "./dom.js";

export function callForm(tool) {
  const schema = tool.loaded.inputSchema ?? {};
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const fields = Object.entries(schema.properties ?? {}).map(([name, member]) => field(name, member ?? {}, required.has(name)));
  const answer = el("div", { class: "answer" });
  const problem = el("p", { class: "alert", role: "alert" });
  problem.hidden = true;
  const button = el("button", { type: "submit" }, "Call as this caller");
  const isSafe = tool.annotations.readOnlyHint === true;
  const form = el(
    "form",
    { class: "call", novalidate: true, "aria-label": `Call ${tool.name}` },
    fields.map((one) => one.element),
    problem,
    el("p", { class: "buttons" }, button, !isSafe && el("span", { class: "hint warn" }, "This is a real call and may change data.")),
    answer,
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    problem.hidden = true;
    let values;
    try {
      values = Object.fromEntries(fields.map((one) => [one.name, one.read()]).filter(([, value]) => value !== undefined));
    } catch (fault) {
      problem.textContent = fault.message;
      problem.hidden = false;
      return;
    }
    button.disabled = true;
    const result = await ask("call", { name: tool.name, arguments: values });
    button.disabled = false;
    showAnswer(answer, values, result);
  });
  return form;
}

function showAnswer(answer, values, result) {
  if (result.error) {
    fill(answer, el("p", { class: "alert", role: "alert" }, result.message));
    return;
  }
  const outcome = result.is_error ? `refused: ${result.payload.error}` : `answered${result.payload.status ? ` with ${result.payload.status}` : ""}`;
  tell(`the call was ${outcome}`);
  fill(
    answer,
    el("p", { class: "outcome" },
      el("span", { class: result.is_error ? "badge deny" : "badge allow" }, outcome),
      el("span", { class: "hint" }, `${number(result.took_ms)} ms, ${number(result.bytes)} bytes, ≈ ${number(result.tokens)} tokens`)),
    el("h4", {}, "Sent"), json(values),
    el("h4", {}, "Got"), json(result.payload),
  );
}

function field(name, given, isRequired) {
  const member = withoutNull(given);
  const id = `argument-${name}`;
  const kinds = [member.type ?? []].flat().filter((kind) => kind !== "null");
  const kind = kinds.length === 1 ? kinds[0] : "any";
  const choices = Array.isArray(member.enum) ? member.enum : null;
  const hint = typeof member.description === "string" ? member.description : "";
  const input = control(id, kind, choices, member, hint && `${id}-hint`);
  const label = el("label", { htmlFor: id }, el("code", {}, name), el("span", { class: "hint" }, ` ${choices ? "choice" : kind}${isRequired ? ", required" : ""}`));
  return {
    name,
    element: el("div", { class: "field" }, label, input, hint && el("p", { class: "hint", id: `${id}-hint` }, hint)),
    read: () => read(name, kind, choices, input.value),
  };
}

// An argument that may also be null has the control of its one other kind.
function withoutNull(member) {
  const kinds = Array.isArray(member.anyOf) ? member.anyOf.filter((kind) => kind?.type !== "null") : [];
  return kinds.length === 1 ? { ...kinds[0], ...member } : member;
}

function control(id, kind, choices, member, describedBy) {
  const common = { id, "aria-describedby": describedBy || null, autocomplete: "off" };
  if (choices || kind === "boolean") {
    const values = choices ?? [true, false];
    return el("select", common, el("option", { value: "" }, "—"), values.map((value) => el("option", { value: JSON.stringify(value) }, String(value))));
  }
  if (["string", "integer", "number"].includes(kind)) {
    const shown = member.default === undefined || member.default === null ? null : `default ${JSON.stringify(member.default)}`;
    return el("input", { ...common, type: "text", inputmode: kind === "string" ? null : "decimal", placeholder: shown });
  }
  return el("textarea", { ...common, rows: "3", spellcheck: "false", placeholder: "JSON" });
}

function read(name, kind, choices, text) {
  if (text === "") return undefined;
  if (choices || kind === "boolean") return JSON.parse(text);
  if (kind === "string") return text;
  // What is no number is sent as it stands: the answer tells what an agent would be told.
  if (kind === "integer" || kind === "number") return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${name}: this is no JSON; a text needs quotes`);
  }
}
