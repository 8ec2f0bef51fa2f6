"use strict";
// Drawing the words and the arcs; used by derivation.js.

const LEVEL = 21; // from one level of arcs to the next, in px
const PORT = 7; // from one arc of a word to the next

const measure = document.createElement("canvas").getContext("2d");
function textWidth(text, size) {
  measure.font = `${size}px ${getComputedStyle(document.body).fontFamily}`;
  return measure.measureText(text).width;
}

/** Places of the words, and the pairs of nodes that an arc may join. */
function layoutOf(d) {
  const order = d.words.map((_, k) => k).slice(1);
  if (d.system.root === "last") order.push(ROOT);
  else order.unshift(ROOT);
  if (data.direction === "rtl") order.reverse();
  const rank = [];
  order.forEach((k, i) => (rank[k] = i));
  const spans = new Map();
  const neighbours = []; // by the node on the right: room for the label between two
  const note = ([h, label, k]) => {
    const [first, last] = rank[h] < rank[k] ? [h, k] : [k, h];
    spans.set(`${h} ${k}`, { h, k, first, last });
    if (label && rank[last] === rank[first] + 1) {
      neighbours[last] = Math.max(neighbours[last] ?? 0, textWidth(label, 11.5) + 26);
    }
  };
  for (const tree of [d.derived, d.restored, d.gold, d.treebank]) arcsOf(tree).forEach(note);
  const sides = new Map();
  for (const { first, last } of spans.values()) {
    for (const side of [`${first} right`, `${last} left`]) {
      sides.set(side, (sides.get(side) ?? 0) + 1);
    }
  }
  // Candidates need a place too, but no room: they are drawn over everything else.
  for (const step of d.steps) {
    for (const c of step.candidates) {
      if (c.arc && !spans.has(c.arc.join(" "))) note([c.arc[0], null, c.arc[1]]);
    }
  }
  const x = [];
  const width = [];
  let edge = 12;
  for (const k of order) {
    const arcs = Math.max(sides.get(`${k} left`) ?? 0, sides.get(`${k} right`) ?? 0);
    const texts = [textWidth(d.words[k], 15), textWidth(d.tags[k], 11)];
    width[k] = Math.max(...texts, 2 * PORT * arcs, 18) + 12;
    const before = x[order[rank[k] - 1]] ?? 0;
    x[k] = Math.max(edge + width[k] / 2, before + (neighbours[k] ?? 0));
    edge = x[k] + width[k] / 2 + 14;
  }
  return { x, width, rank, spans, total: edge };
}

/** Levels for some arcs: those that lie over one another get different ones. */
function levelsOf(layout, keys) {
  const { rank, spans } = layout;
  const placed = [];
  const arcs = keys.map((key) => spans.get(key));
  const length = (s) => rank[s.last] - rank[s.first];
  arcs.sort((a, b) => length(a) - length(b) || rank[a.first] - rank[b.first]);
  for (const arc of arcs) {
    const under = placed.filter(
      (other) => rank[other.first] < rank[arc.last] && rank[arc.first] < rank[other.last]
    );
    arc.level = 1 + Math.max(0, ...under.map((other) => other.level));
    placed.push(arc);
  }
  return arcs;
}

/** Where the arcs meet their words: side by side, the higher ones nearer the middle. */
function portsOf(layout, arcs) {
  const { width } = layout;
  const sides = new Map();
  for (const arc of arcs) {
    for (const [node, sign] of [[arc.first, 1], [arc.last, -1]]) {
      const key = `${node} ${sign}`;
      if (!sides.has(key)) sides.set(key, []);
      sides.get(key).push(arc);
    }
  }
  const ports = new Map();
  for (const [key, list] of sides) {
    const [node, sign] = key.split(" ").map(Number);
    list.sort((a, b) => b.level - a.level);
    const gap = Math.min(PORT, (width[node] / 2 - 5) / list.length);
    list.forEach((arc, i) => {
      ports.set(`${arc.h} ${arc.k} ${node}`, layout.x[node] + sign * (i + 0.5) * gap);
    });
  }
  return ports;
}

let drawing = null; // the layout of the derivation shown

function prepareDrawing() {
  const layout = layoutOf(derivation());
  const keys = new Set();
  for (const tree of ["derived", "restored", "gold", "treebank"]) {
    for (const [h, , k] of arcsOf(derivation()[tree])) keys.add(`${h} ${k}`);
  }
  for (const state of states) {
    const chosen = chosenOf(state);
    if (chosen && chosen.arc) keys.add(chosen.arc.join(" "));
  }
  const arcs = levelsOf(layout, [...keys]);
  const top = Math.max(1, ...arcs.map((arc) => arc.level));
  drawing = { layout, ports: portsOf(layout, arcs), top };
}

/** Draw an arc at its own level or, if it has none, at the top. */
function drawArc(svg, [head, label, dependent], kind, baseline, remark = "") {
  const { layout, ports, top } = drawing;
  const key = `${head} ${dependent}`;
  const arc = layout.spans.get(key);
  const port = (k) => ports.get(`${key} ${k}`) ?? layout.x[k];
  const [from, to] = [port(head), port(dependent)];
  const y = baseline - 10 - LEVEL * (arc.level ?? top + 1);
  const r = Math.min(9, Math.abs(to - from) / 2);
  const turn = to > from ? r : -r;
  const group = makeSvg("g", { class: kind });
  group.append(
    makeSvg("path", {
      d:
        `M${from},${baseline} V${y + r} Q${from},${y} ${from + turn},${y} ` +
        `H${to - turn} Q${to},${y} ${to},${y + r} V${baseline - 5}`,
    }),
    makeSvg("path", {
      class: "head",
      d: `M${to},${baseline} l-4,-8 h8 Z`,
    })
  );
  svg.append(group);
  if (!label) return;
  const text = makeSvg("g", { class: kind });
  text.append(makeSvg("text", { class: "label", x: (from + to) / 2, y: y + 4 }, label + remark));
  svg.labels.push(text);
}

function drawTree(state, preview) {
  const { layout, top } = drawing;
  const d = derivation();
  const baseline = LEVEL * (top + 1) + 24;
  const height = baseline + 50;
  const svg = makeSvg("svg", {
    width: layout.total,
    height,
    viewBox: `0 0 ${layout.total} ${height}`,
    role: "img",
    "aria-label": treeInWords(state),
  });
  svg.labels = []; // they lie over all arcs
  const gold = byId("gold").checked ? arcsOf(goldOf(state)) : [];
  const has = new Set(state.arcs.map(([h, , k]) => `${h} ${k}`));
  for (const arc of gold) {
    if (!has.has(`${arc[0]} ${arc[2]}`)) drawArc(svg, arc, "gold", baseline);
  }
  const before = at > 0 ? states[at - 1] : null;
  const old = new Set(before ? before.arcs.map(([h, , k]) => `${h} ${k}`) : []);
  for (const arc of state.arcs) {
    const [h, label, k] = arc;
    const kind = verdict(state, arc);
    const goldTree = goldOf(state);
    const missed = kind === "wrong" && goldTree.heads[k - 1] === h;
    const remark = missed ? ` (gold: ${goldTree.labels[k - 1]})` : "";
    const fresh = before && !old.has(`${h} ${k}`) ? " new" : "";
    drawArc(svg, arc, kind + fresh, baseline, remark);
  }
  const next = preview ?? chosenOf(state);
  if (next && next.arc) {
    const arc = [next.arc[0], next.label, next.arc[1]];
    const kind = next.correct === false ? "wrong" : next.correct ? "right" : "";
    drawArc(svg, arc, `${kind} next`, baseline);
  }
  svg.append(...svg.labels);
  const focus = focusOf(state);
  d.words.forEach((text, k) => {
    if (k === ROOT && d.system.root === "none" && !state.arcs.some(([h]) => h === ROOT)) {
      return;
    }
    const group = makeSvg("g", { class: `${placeOf(state, k)} ${focus.includes(k) ? "in-focus" : ""}` });
    group.append(
      makeSvg("rect", {
        class: "place",
        x: layout.x[k] - layout.width[k] / 2,
        y: baseline + 3,
        width: layout.width[k],
        height: 40,
      }),
      makeSvg("text", { class: "word", x: layout.x[k], y: baseline + 21 }, text),
      makeSvg("text", { class: "tag", x: layout.x[k], y: baseline + 37 }, d.tags[k])
    );
    svg.append(group);
  });
  const box = byId("tree");
  const scrolled = box.scrollLeft;
  box.replaceChildren(svg);
  box.scrollLeft = scrolled;
  if (!preview && focus.length) {
    const places = focus.map((k) => layout.x[k]);
    const [first, last] = [Math.min(...places) - 80, Math.max(...places) + 80];
    if (first < box.scrollLeft) box.scrollLeft = first;
    else if (last > box.scrollLeft + box.clientWidth) box.scrollLeft = last - box.clientWidth;
  }
}

/** The nodes that the next transition speaks of. */
function focusOf(state) {
  if (state.kind !== "step") return [];
  return [...state.stack.slice(-1), ...state.buffer.slice(0, 1)];
}

function placeOf(state, k) {
  if (state.kind !== "step") return "";
  if (derivation().system.chooses_pair) {
    return state.stack.includes(k) || state.buffer.includes(k) ? "in-buffer" : "gone";
  }
  if (state.stack.includes(k)) return "on-stack";
  return state.buffer.includes(k) ? "in-buffer" : "gone";
}

function treeInWords(state) {
  const arcs = state.arcs.map(([h, label, k]) => `${word(h)} to ${word(k)} (${label})`);
  return arcs.length ? `Arcs: ${arcs.join(", ")}` : "No arcs yet";
}
