// Asks the application. The header tells its guard that a page of its own asks.

let caller = {};

export function callerHeaders() {
  return caller;
}

export function setCaller(headers) {
  caller = headers;
}

export async function ask(kind, body = {}) {
  let response;
  try {
    response = await fetch(`api/${kind}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-sezzlee-explorer": "1" },
      body: JSON.stringify({ headers: caller, ...body }),
    });
  } catch {
    return { error: "unreachable", message: "The application does not answer. Is it still running?" };
  }
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return { error: "refused", message: text.trim() || `It answered with ${response.status}.` };
  }
}

export function readHeaders(text) {
  const headers = {};
  for (const line of text.split("\n")) {
    if (!line.trim()) continue;
    const colon = line.indexOf(":");
    if (colon < 1) throw new Error(`no header: expected "Name: value" in line ${text.split("\n").indexOf(line) + 1}`);
    headers[line.slice(0, colon).trim().toLowerCase()] = line.slice(colon + 1).trim();
  }
  return headers;
}
