"use strict";
// Drawing the words and the arcs; used by derivation.js.

const LEVEL = 21; // from one level of arcs to the next, in px
const PORT = 7; // from one arc of a word to the next

const measure = document.createElement("canvas").getContext("2d");
function textWidth(text, size) {
  measure.font = `${size}px ${getComputedStyle(document.body).fontFamily}`;
  return measure.measureText(text).width;
}

/**
 * Where the words and the arcs of a derivation are drawn. Arcs that lie over one another
 * have different levels. They meet their words side by side.
 */
function layoutOf(d) {
  const order = d.words.map((_, k) => k).slice(1);
  if (d.system.root === "last") order.push(ROOT);
  else order.unshift(ROOT);
  if (data.direction === "rtl") order.reverse();
  const rank = [];
  order.forEach((k, i) => (rank[k] = i));
  const arcs = new Map(); // by head and dependent
  const neighbours = []; // by the node on the right: room for the label between two
  const note = ([h, label, k]) => {
    const [first, last] = rank[h] < rank[k] ? [h, k] : [k, h];
    const length = rank[last] - rank[first];
    arcs.set(`${h} ${k}`, { first, last, length, ports: [] });
    if (label && length === 1) {
      neighbours[last] = Math.max(neighbours[last] ?? 0, textWidth(label, 11.5) + 26);
    }
  };
  for (const tree of [d.derived, d.restored, d.gold, d.treebank]) arcsOf(tree).forEach(note);
  for (const { arc } of d.steps.map(chosenOf)) {
    if (arc) note([arc[0], null, arc[1]]);
  }
  const placed = [...arcs.values()];
  placed.sort((a, b) => a.length - b.length || rank[a.first] - rank[b.first]);
  placed.forEach((arc, i) => {
    const under = placed
      .slice(0, i)
      .filter((other) => rank[other.first] < rank[arc.last] && rank[arc.first] < rank[other.last]);
    arc.level = 1 + Math.max(0, ...under.map((other) => other.level));
  });
  // The higher arcs of a side come first: they are nearer the middle of the word.
  const sides = d.words.map(() => ({ left: [], right: [] }));
  for (const arc of placed.sort((a, b) => b.level - a.level)) {
    sides[arc.first].right.push(arc);
    sides[arc.last].left.push(arc);
  }
  const x = [];
  const width = [];
  let edge = 12;
  for (const k of order) {
    const { left, right } = sides[k];
    const texts = [textWidth(d.words[k], 15), textWidth(d.tags[k], 11)];
    width[k] = Math.max(...texts, 2 * PORT * Math.max(left.length, right.length), 18) + 12;
    const before = x[order[rank[k] - 1]] ?? 0;
    x[k] = Math.max(edge + width[k] / 2, before + (neighbours[k] ?? 0));
    edge = x[k] + width[k] / 2 + 14;
    for (const [side, sign] of [[right, 1], [left, -1]]) {
      const gap = Math.min(PORT, (width[k] / 2 - 5) / side.length);
      side.forEach((arc, i) => (arc.ports[k] = x[k] + sign * (i + 0.5) * gap));
    }
  }
  return { x, width, arcs, top: Math.max(1, ...placed.map((arc) => arc.level)), total: edge };
}

let drawing = null; // the layout of the derivation shown

/** Draw an arc at its own level or, if it has none, at the top. */
function drawArc(svg, [head, label, dependent], kind, baseline, remark = "") {
  const { arcs, x, top } = drawing;
  const arc = arcs.get(`${head} ${dependent}`);
  const [from, to] = [head, dependent].map((k) => arc?.ports[k] ?? x[k]);
  const y = baseline - 10 - LEVEL * (arc?.level ?? top + 1);
  const r = Math.min(9, Math.abs(to - from) / 2);
  const turn = to > from ? r : -r;
  const line =
    `M${from},${baseline} V${y + r} Q${from},${y} ${from + turn},${y} ` +
    `H${to - turn} Q${to},${y} ${to},${y + r} V${baseline - 5}`;
  const tip = makeSvg("path", { class: "head", d: `M${to},${baseline} l-4,-8 h8 Z` });
  svg.append(makeSvg("g", { class: kind }, makeSvg("path", { d: line }), tip));
  if (!label) return;
  const text = makeSvg("text", { class: "label", x: (from + to) / 2, y: y + 4 }, label + remark);
  svg.labels.push(makeSvg("g", { class: kind }, text));
}

function drawTree(state, preview) {
  const { x, width, top, total } = drawing;
  const d = derivation();
  const baseline = LEVEL * (top + 1) + 24;
  const height = baseline + 50;
  const svg = makeSvg("svg", {
    width: total,
    height,
    viewBox: `0 0 ${total} ${height}`,
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
    const place = { x: x[k] - width[k] / 2, y: baseline + 3, width: width[k], height: 40 };
    svg.append(
      makeSvg(
        "g",
        { class: `${placeOf(state, k)} ${focus.includes(k) ? "in-focus" : ""}` },
        makeSvg("rect", { class: "place", ...place }),
        makeSvg("text", { class: "word", x: x[k], y: baseline + 21 }, text),
        makeSvg("text", { class: "tag", x: x[k], y: baseline + 37 }, d.tags[k])
      )
    );
  });
  const box = byId("tree");
  const scrolled = box.scrollLeft;
  box.replaceChildren(svg);
  box.scrollLeft = scrolled;
  if (!preview && focus.length) {
    const places = focus.map((k) => x[k]);
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
  if (state.buffer.includes(k)) return "in-buffer";
  if (!state.stack.includes(k)) return "gone";
  return derivation().system.chooses_pair ? "in-buffer" : "on-stack";
}

function treeInWords(state) {
  const arcs = state.arcs.map(([h, label, k]) => `${word(h)} to ${word(k)} (${label})`);
  return arcs.length ? `Arcs: ${arcs.join(", ")}` : "No arcs yet";
}
