// Everything is made of nodes and text; no string of the data is ever parsed as HTML.

const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const ROOT = 0;
let part = 0; // which derivation
let at = 0; // which of its states
let states = [];

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** An element of HTML with attributes and children (elements or text). */
const make = (name, attributes = {}, ...children) =>
  filled(document.createElement(name), attributes, children);

/** An element of SVG. */
const makeSvg = (name, attributes = {}, ...children) =>
  filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

const derivation = () => data.derivations[part];
const word = (k) => derivation().words[k];
const arrow = ([head, dependent]) => `${word(head)} → ${word(dependent)}`;
const numbered = (k) => [make("bdi", {}, word(k)), ...(k === ROOT ? [] : [make("sub", {}, String(k))])];
const plural = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;

/** What there is to step through: every configuration, the end, the restored tree. */
function statesOf(d) {
  const list = d.steps.map((step, i) => ({ ...step, kind: "step", number: i + 1 }));
  list.push({ kind: "end", stack: d.stack, buffer: d.buffer, arcs: arcsOf(d.derived) });
  if (d.derived.heads.some((head, i) => head !== d.restored.heads[i])) {
    list.push({ kind: "restored", stack: [], buffer: [], arcs: arcsOf(d.restored) });
  }
  return list;
}

/** [head, label, dependent] for each word of a tree whose head is known. */
function arcsOf(tree) {
  if (!tree) return [];
  return tree.heads
    .map((head, i) => [head, tree.labels[i], i + 1])
    .filter(([head]) => head !== null);
}

const chosenOf = (state) => (state.candidates ? state.candidates[state.chosen] : null);
const isMistake = (state) => Boolean(chosenOf(state)) && chosenOf(state).correct === false;
const goldOf = (state) =>
  state.kind === "restored" ? derivation().treebank : derivation().gold;

/** "right", "wrong" or, where the gold tree says nothing, "". */
function verdict(state, [head, label, dependent]) {
  const gold = goldOf(state);
  if (state.kind !== "step" && derivation().outside.includes(dependent)) return "wrong";
  if (!gold || gold.heads[dependent - 1] === null) return "";
  if (gold.heads[dependent - 1] !== head) return "wrong";
  const goldLabel = gold.labels[dependent - 1];
  return goldLabel === null || label === null || goldLabel === label ? "right" : "wrong";
}

// ---- configuration, candidates, transitions ------------------------------------------

function nodesBox(nodes, focus) {
  const kindOf = (k) => (focus.includes(k) ? "node in-focus" : "node");
  const spans = nodes.map((k) => make("span", { class: kindOf(k) }, ...numbered(k)));
  if (!spans.length) spans.push(make("span", { class: "empty" }, "empty"));
  return make("div", { class: "nodes", tabindex: 0 }, ...spans);
}

function showConfiguration(state) {
  const focus = focusOf(state);
  const box = byId("configuration");
  box.hidden = state.kind === "restored";
  if (derivation().system.chooses_pair) {
    const title = make("h2", {}, "List ", make("small", {}, "the pair chosen is framed"));
    box.replaceChildren(make("div", {}, title, nodesBox([...state.stack, ...state.buffer], focus)));
    return;
  }
  const stack = nodesBox(state.stack, focus);
  const buffer = nodesBox(state.buffer, focus);
  box.replaceChildren(
    make("div", { class: "stack" }, make("h2", {}, "Stack ", make("small", {}, "its top is next to the buffer")), stack),
    make("div", { class: "buffer" }, make("h2", {}, "Buffer ", make("small", {}, "its front is next to the stack")), buffer)
  );
  stack.scrollLeft = data.direction === "rtl" ? -stack.scrollWidth : stack.scrollWidth;
}

function header(titles, numbers) {
  const kindOf = (title) => (numbers.includes(title) ? "number" : "");
  const cells = titles.map((title) => make("th", { class: kindOf(title), scope: "col" }, title));
  return make("thead", {}, make("tr", {}, ...cells));
}

function showCandidates(state) {
  byId("legal").hidden = state.kind !== "step";
  if (state.kind !== "step") return;
  const found = state.candidates;
  const withCosts = derivation().gold !== null;
  const titles = ["", "transition", "label", "arc", "", "score", ...(withCosts ? ["cost"] : [])];
  const scores = found.map((c) => c.score).filter((score) => score !== null);
  const low = Math.min(0, ...scores);
  const high = Math.max(0, ...scores);
  const percent = (score) => (high > low ? (100 * (score - low)) / (high - low) : 0);
  const rows = found.map((c, i) => {
    const judged = { false: "wrong", true: "correct" }[c.correct];
    const kinds = [i === state.chosen ? "chosen" : "", judged].filter(Boolean);
    const track = make("div", { class: "track" });
    if (c.score !== null) {
      const left = percent(Math.min(0, c.score));
      const width = Math.abs(percent(c.score) - percent(0));
      track.append(
        make("span", { style: `left: ${left}%; width: ${width}%` }),
        make("i", { style: `left: ${percent(0)}%` })
      );
    }
    let mark = "";
    if (i === state.chosen) mark = c.correct === false ? "✗" : "✓";
    else if (i === state.predicted) mark = "☆";
    const title = { "✓": "chosen", "✗": "chosen, wrong", "☆": "best score" }[mark] ?? "";
    const row = make(
      "tr",
      { class: kinds.join(" ") },
      make("td", { title }, mark),
      make("td", {}, c.transition, ...(c.position ? [make("sub", {}, ` ${c.position}`)] : [])),
      make("td", {}, c.label ?? ""),
      make("td", {}, ...(c.arc ? [...numbered(c.arc[0]), " → ", ...numbered(c.arc[1])] : [])),
      make("td", { class: "bar" }, track),
      make("td", { class: "number" }, c.score === null ? (state.forced ? "forced" : "") : c.score.toFixed(2))
    );
    if (withCosts) row.append(make("td", { class: "number cost" }, c.cost === null ? "" : String(c.cost)));
    row.addEventListener("mouseenter", () => drawTree(state, c));
    row.addEventListener("mouseleave", () => drawTree(state));
    return row;
  });
  byId("candidates").replaceChildren(header(titles, ["score", "cost"]), make("tbody", {}, ...rows));
  const hidden = state.n_candidates - found.length;
  byId("hidden").hidden = !hidden;
  byId("hidden").textContent = `… and ${hidden} more, with lower scores`;
}

const nameOf = (c) => [c.transition, c.position ?? "", c.label ?? ""].filter(Boolean).join(" ");
const signed = (number) => `${number < 0 ? "−" : "+"}${Math.abs(number).toFixed(2)}`;

/** The features that made the scores of the chosen and of the best other transition differ. */
function showFeatures(state) {
  const found = state.contributions;
  byId("features").hidden = !found;
  if (!found) return;
  const chosen = chosenOf(state);
  const other = state.candidates[found.other];
  const gap = chosen.score - other.score;
  byId("features-title").textContent =
    `Why ${nameOf(chosen)} and not ${nameOf(other)}: the features that differ most (${signed(gap)} in all)`;
  const number = (text, kind = "") => make("td", { class: `number ${kind}` }, text);
  const rows = found.features.map((x) =>
    make(
      "tr",
      {},
      make("td", { class: "name" }, make("bdi", {}, x.feature)),
      number(x.chosen.toFixed(2)),
      number(x.other.toFixed(2)),
      number(signed(x.difference), x.difference < 0 ? "against" : "")
    )
  );
  if (found.n_rest) {
    const name = make("td", {}, `${plural(found.n_rest, "more feature")}`);
    rows.push(make("tr", {}, name, number(""), number(""), number(signed(found.rest), found.rest < 0 ? "against" : "")));
  }
  const titles = ["feature", nameOf(chosen), nameOf(other), "difference"];
  byId("contributions").replaceChildren(header(titles, titles.slice(1)), make("tbody", {}, ...rows));
}

function listTransitions() {
  const items = states.map((state, i) => {
    const c = chosenOf(state);
    const name = c ? [c.transition, c.label].filter(Boolean).join(" ") : state.kind;
    const button = make(
      "button",
      { type: "button", class: isMistake(state) ? "wrong" : "" },
      make("span", { class: "number" }, c ? String(state.number) : ""),
      make("span", { class: "name" }, name),
      make("span", { class: "arc" }, c && c.arc ? arrow(c.arc) : "")
    );
    if (isMistake(state)) button.append(make("span", { class: "badge" }, `✗ cost ${c.cost}`));
    button.addEventListener("click", () => go(i));
    return make("li", {}, button);
  });
  byId("transitions").replaceChildren(...items);
}

function markTransition() {
  const list = byId("transitions");
  const buttons = [...list.querySelectorAll("button")];
  buttons.forEach((button, i) => {
    if (i === at) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
  });
  // scrollIntoView would move the page too.
  const current = buttons[at].parentElement;
  const above = current.offsetTop - list.offsetTop;
  if (above < list.scrollTop) list.scrollTop = above;
  const below = above + current.offsetHeight - list.clientHeight;
  if (below > list.scrollTop) list.scrollTop = below;
}

function summaryOf(state) {
  const d = derivation();
  if (state.kind === "step") {
    const c = chosenOf(state);
    const parts = [make("b", {}, [c.transition, c.label].filter(Boolean).join(" "))];
    if (c.arc) parts.push(` adds ${arrow(c.arc)}`);
    if (state.forced) parts.push("; forced, the model is not asked");
    else if (c.score !== null) parts.push(`; score ${c.score.toFixed(2)}`);
    if (c.cost !== null) parts.push(`; cost ${c.cost}`);
    if (c.correct === false) parts.push(c.cost === 1 ? ", one gold arc is lost" : `, ${c.cost} gold arcs are lost`);
    if (state.chosen !== state.predicted) {
      const p = state.candidates[state.predicted];
      const name = [p.transition, p.label].filter(Boolean).join(" ");
      parts.push(data.follow === "oracle" ? `. The model would take ${name}` : `. ${name} has the best score, but the parser has looked ahead`);
    }
    return [...parts, "."];
  }
  if (state.kind === "restored") return ["The tree with lifted arcs put back where their labels say, and without dependents of labels that never govern."];
  const parts = [make("b", {}, "End"), ` after ${plural(d.steps.length, "transition")}`];
  if (d.attached.length) parts.push(`; still headless, attached to ROOT: ${d.attached.map(word).join(", ")}`);
  if (d.total_cost !== null) parts.push(`; total cost ${d.total_cost}`);
  if (d.errors) parts.push(`; ${d.errors.length} of ${plural(d.words.length - 1, "word")} wrong`);
  return [...parts, "."];
}

// ---- moving about --------------------------------------------------------------------

function show() {
  const state = states[at];
  byId("slider").value = at;
  const place = state.kind === "step" ? `Step ${state.number}` : state.kind === "end" ? "End" : "Restored";
  byId("slider").setAttribute("aria-valuetext", place);
  byId("counter").value = state.kind === "step" ? `${place} of ${derivation().steps.length}` : place;
  byId("summary").replaceChildren(...summaryOf(state));
  document.querySelectorAll("[data-go=first], [data-go=back]").forEach((b) => (b.disabled = at === 0));
  document.querySelectorAll("[data-go=on], [data-go=last]").forEach((b) => (b.disabled = at === states.length - 1));
  byId("tree-title").textContent = state.kind === "step" ? "Tree so far" : "Tree";
  drawTree(state);
  showConfiguration(state);
  showCandidates(state);
  showFeatures(state);
  markTransition();
}

function go(where) {
  at = Math.max(0, Math.min(states.length - 1, where));
  show();
}

function nextMistake() {
  const places = states.map((state, i) => (isMistake(state) ? i : -1)).filter((i) => i >= 0);
  if (places.length) go(places.find((i) => i > at) ?? places[0]);
}

const moves = {
  first: () => go(0),
  back: () => go(at - 1),
  on: () => go(at + 1),
  last: () => go(states.length - 1),
  mistake: nextMistake,
};

function legend() {
  const kinds = [["next", "chosen now"]];
  if (derivation().gold) kinds.push(["right", "right"], ["wrong", "wrong"], ["gold", "gold, not found"]);
  const items = kinds.map(([kind, text]) => {
    const line = makeSvg("g", { class: kind }, makeSvg("path", { d: "M2,4 H32" }));
    const svg = makeSvg("svg", { width: 34, height: 8, "aria-hidden": "true" }, line);
    return make("li", {}, svg, text);
  });
  byId("legend").replaceChildren(...items);
}

function facts() {
  const d = derivation();
  const { name, root, single_root: single } = d.system;
  const where = root === "none" ? "no ROOT node" : `ROOT ${root}`;
  const list = [`${name}, ${where}, ${single ? "one root" : "any number of roots"}`];
  list.push(data.follow === "oracle" ? "follows the oracle" : "follows the model");
  list.push(`pipeline ${data.model}`);
  byId("facts").textContent = list.join(" · ");
  const notes = [];
  if (d.parsed_again) notes.push("Some of these words are parsed again in a later part, with one root, because the document says that no sentence starts there.");
  if (d.treebank && !d.gold) notes.push("No costs: this system defines them for complete gold trees only.");
  else if (JSON.stringify(d.gold) !== JSON.stringify(d.treebank)) notes.push("The gold tree has crossing arcs: costs refer to it with these lifted.");
  if (d.gold && d.system.unshifts) notes.push("Costs are those of the system without UNSHIFT, on which training runs.");
  byId("note").textContent = notes.join(" ");
  byId("note").hidden = !notes.length;
}

function choosePart(number) {
  part = number;
  byId("parts").value = number;
  states = statesOf(derivation());
  byId("slider").max = states.length - 1;
  byId("gold-label").hidden = !derivation().gold;
  byId("mistake").hidden = !states.some(isMistake);
  facts();
  legend();
  drawing = layoutOf(derivation());
  listTransitions();
}

/** The part and the state that the address names, as in #1.12. */
function readAddress() {
  const found = /^#(\d+)\.(\d+)$/.exec(location.hash);
  if (!found) return [0, 0];
  return [Math.min(found[1], data.derivations.length) - 1, found[2] - 1].map((n) => Math.max(0, n));
}

function start() {
  byId("title").textContent = data.title;
  byId("title").lang = data.lang;
  byId("title").dir = byId("configuration").dir = data.direction;
  byId("tree").lang = byId("configuration").lang = data.lang;
  data.derivations.forEach((d, i) => {
    const text = d.words.slice(1, 7).join(" ");
    byId("parts").append(make("option", { value: i }, `${i + 1}: ${text}${d.words.length > 7 ? " …" : ""}`));
  });
  byId("parts-label").hidden = data.derivations.length < 2;
  byId("parts").addEventListener("change", (event) => {
    choosePart(Number(event.target.value));
    go(0);
  });
  byId("slider").addEventListener("input", (event) => go(Number(event.target.value)));
  byId("gold").addEventListener("change", show);
  document.querySelectorAll("[data-go]").forEach((button) => {
    button.addEventListener("click", () => moves[button.dataset.go]());
  });
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("input[type=range], select") || event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last", m: "mistake" };
    if (!(event.key in keys)) return;
    event.preventDefault();
    moves[keys[event.key]]();
  });
  const [firstPart, firstAt] = readAddress();
  choosePart(firstPart);
  go(firstAt);
}

start();
