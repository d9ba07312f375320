"use strict";
(() => {
const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
// Texts are always set as text, so nothing in them can become markup.
const make = (name, options = {}, ...children) => {
  const svg = ["svg", "path", "line", "circle", "text", "title", "rect"].includes(name);
  const element = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(options)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value != null) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
};

// Light and dark, print.
const root = document.documentElement;
const dark = () => (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
const themed = make("button", { type: "button", onclick: () => { root.dataset.theme = dark() ? "light" : "dark"; name(); } });
const name = () => { themed.textContent = dark() ? "Light" : "Dark"; };
name();
$("#tools").append(themed, make("button", { type: "button", onclick: () => print() }, "Print"));

// The place in the navigation.
const links = $$("nav a");
if (links.length) {
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      links.forEach((link) => link.getAttribute("href") === "#" + entry.target.id
        ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current"));
    }
  }, { rootMargin: "-15% 0px -75% 0px" });
  links.forEach((link) => { const part = $(link.getAttribute("href")); if (part) seen.observe(part); });
}

// Tables: sorted by a click on a column, filtered where they are long.
const valueOf = (cell) => {
  const text = cell.textContent.trim();
  const number = parseFloat(text.replace(/^[[<≤+*]+/, "").replace(/,(?=\d{3})/g, "").replace("−", "-"));
  return Number.isNaN(number) ? text : number;
};
const sort = (table, column) => {
  const heads = $$("th", table);
  const up = heads[column].getAttribute("aria-sort") === "descending";
  heads.forEach((head) => head.removeAttribute("aria-sort"));
  heads[column].setAttribute("aria-sort", up ? "ascending" : "descending");
  const rows = $$("tbody tr", table).map((row) => [valueOf(row.cells[column]), row]);
  const numbers = rows.some(([value]) => typeof value === "number");
  rows.sort(([x], [y]) => {
    // What has no number comes last either way.
    if (numbers && typeof x !== typeof y) return typeof x === "number" ? -1 : 1;
    const order = numbers && typeof x === "number" ? x - y : String(x).localeCompare(String(y));
    return up ? order : -order;
  });
  $("tbody", table).append(...rows.map(([, row]) => row));
};
const enhance = (table) => {
  $$("th", table).forEach((head, column) => {
    if (head.textContent.trim()) head.replaceChildren(make("button", { type: "button", onclick: () => sort(table, column) }, ...head.childNodes));
    else head.replaceWith(make("td"));
  });
  const rows = $$("tbody tr", table);
  if (rows.length < 25) return;
  const field = make("input", { class: "filter", type: "search", placeholder: "Filter rows", "aria-label": "Filter rows",
    oninput: () => { const wanted = field.value.toLowerCase(); rows.forEach((row) => { row.hidden = !row.textContent.toLowerCase().includes(wanted); }); } });
  table.parentElement.before(field);
};
$$(".table table").forEach(enhance);

// Alternatives: one of several neighbours at a time.
$$(".tab").forEach((first) => {
  if (first.previousElementSibling?.classList.contains("tab")) return;
  const panels = [];
  for (let next = first; next?.classList.contains("tab"); next = next.nextElementSibling) panels.push(next);
  if (panels.length < 2) return;
  const tabs = panels.map((panel, place) => {
    panel.id ||= `panel-${Math.random().toString(36).slice(2)}`;
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-label", panel.dataset.title);
    return make("button", { type: "button", role: "tab", "aria-controls": panel.id, onclick: () => show(place) }, panel.dataset.title);
  });
  const show = (place) => tabs.forEach((tab, other) => {
    tab.setAttribute("aria-selected", other === place);
    tab.tabIndex = other === place ? 0 : -1;
    panels[other].hidden = other !== place;
  });
  const move = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const place = (tabs.indexOf(document.activeElement) + step + tabs.length) % tabs.length;
    show(place);
    tabs[place].focus();
  };
  first.before(make("div", { role: "tablist", "aria-label": "Views", onkeydown: move }, ...tabs));
  show(0);
});

// Long tables of what a chart shows are closed until they are asked for.
const fold = (table, title) => {
  const filter = table.previousElementSibling?.matches(".filter") ? table.previousElementSibling : null;
  const closed = make("details", {}, make("summary", {}, title));
  table.before(closed);
  if (filter) closed.append(filter);
  closed.append(table);
};
$$("#significance .tab").forEach((tab) => { const tables = $$(".table", tab); if (tables[1]) fold(tables[1], "All pairs as a table"); });
if (!$("#data")) return;

const data = JSON.parse($("#data").textContent);
const { systems, metrics, views, n: size } = data;
const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer;
const lazily = (make) => { let found; return () => (found ??= make()); };
metrics.forEach((metric) => {
  metric.all = lazily(() => metric.kind === "<i2" ? new Int16Array(bytes(metric.scores)) : new Int32Array(bytes(metric.scores)));
  metric.none = metric.kind === "<i2" ? -(2 ** 15) : -(2 ** 31);
});
const scoreOf = (metric, system, segment) => {
  const value = metric.all()[system * size + segment];
  return value === metric.none ? null : value / 10 ** metric.digits;
};
// Half-way cases as Python prints them.
const fixed = (value, digits) => {
  if (value == null) return "–";
  const moved = Math.abs(value) * 10 ** digits;
  const text = (moved % 1 === 0.5 ? Math.sign(value) * 2 * Math.round(moved / 2) / 10 ** digits : value).toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : text;
};
const share = (text) => Math.abs(parseFloat(text)) < 1 ? text.replace("0.", ".") : text;
const signed = (text) => /^[-–]/.test(text) ? text : "+" + text;
const shownP = (p) => p == null || Number.isNaN(p) ? "–" : p < 0.001 ? p.toExponential(1).replace(/e-(\d)$/, "e-0$1")
  : String(Number(p.toPrecision(2))).replace(/^0\./, ".");
const state = { a: data.pair[0], b: data.pair[1], metric: 0, bucket: null, wanted: "", which: "all", sort: "size", shown: 6, only: null };
const alone = systems.length < 2;

// The two systems and the metric.
const choice = (label, kind, options, get, set) => {
  const field = make("select", { onchange: () => { set(Number(field.value)); update(); } },
    ...options.map(([value, text]) => make("option", { value, selected: value === get() }, text)));
  return make("label", { class: kind }, make("span", {}, kind ? make("span", { class: "swatch" }) : null, label), field);
};
const controls = $("#controls");
const ordered = data.order.map((system) => [system, systems[system]]);
const drawControls = () => controls.replaceChildren(
  choice(alone ? "System" : "First system", "first", ordered, () => state.a, (value) => { if (value === state.b) state.b = state.a; state.a = value; }),
  alone ? null : choice("Second system", "second", ordered, () => state.b, (value) => { if (value === state.a) state.a = state.b; state.b = value; }),
  choice("Metric", "", metrics.map((metric, place) => [place, metric.name]), () => state.metric, (value) => { state.metric = value; }));

// Buckets: both systems with their intervals on one scale; a bucket opens its segments.
const pairPlace = (x, y) => { const [i, j] = x < y ? [x, y] : [y, x]; return i * systems.length - (i * (i + 1)) / 2 + (j - i - 1); };
const has = (member, segment) => (member[segment >> 3] >> (segment & 7)) & 1;
views.forEach((view) => {
  view.bits = view.members.map((ofBucket) => lazily(() => ofBucket.map((text) => new Uint8Array(bytes(text)))));
  view.measures.forEach((measure) => { measure.ps = lazily(() => new Float64Array(bytes(measure.p))); });
});
const within = (bucket, segment) => {
  const members = bucket.view.bits[bucket.place]();
  return members.length === 1 ? has(members[0], segment) : has(members[state.a], segment) || has(members[state.b], segment);
};
const drawBuckets = (place) => {
  const view = views.find((one) => one.name === place.dataset.view);
  if (!view) return;
  const measure = view.measures.find((one) => one.metric === state.metric) || view.measures[0];
  const shown = (value) => measure.metric == null ? share(fixed(value, measure.digits)) : fixed(value, measure.digits);
  const both = alone ? [state.a] : [state.a, state.b];
  const empty = (b) => [view.sizes[b]].flat().every((count) => count === 0);
  const ends = view.labels.flatMap((_, b) => empty(b) ? [] : both.flatMap((s) => [measure.low[b][s] ?? measure.scores[b][s], measure.high[b][s] ?? measure.scores[b][s]])).filter((value) => value != null);
  const low = Math.min(...ends), span = Math.max(...ends) - low || 1;
  const width = 260, at = (value) => (6 + ((value - low) / span) * (width - 12)).toFixed(1);
  const drawn = (b) => make("svg", { class: "pair", width, height: both.length * 13 + 3, "aria-hidden": "true" }, ...both.flatMap((s, n) => {
    const value = measure.scores[b][s];
    if (value == null || empty(b)) return [];
    const y = 8 + n * 13, kind = n ? "second" : "first";
    return [
      make("path", { class: kind, stroke: "currentColor", "stroke-width": 1.5, d: `M${at(measure.low[b][s] ?? value)} ${y}H${at(measure.high[b][s] ?? value)}` }),
      n ? make("rect", { class: kind, fill: "currentColor", x: at(value) - 3.5, y: y - 3.5, width: 7, height: 7 })
        : make("circle", { class: kind, fill: "currentColor", cx: at(value), cy: y, r: 4 }),
    ];
  }));
  const number = (text, kind = "") => make("td", { class: `number ${kind}` }, text);
  const pair = !alone && measure.sign !== 0;
  const rows = view.labels.map((label, b) => {
    const [x, y] = both.map((s) => measure.scores[b][s]);
    const p = pair ? measure.ps()[b * (systems.length * (systems.length - 1)) / 2 + pairPlace(state.a, state.b)] : null;
    const sizes = [view.sizes[b]].flat();
    const count = sizes.length === 1 ? sizes : both.map((s) => sizes[s]);
    const open = () => { state.bucket = { view, place: b, label }; state.only = null; state.shown = 6; update(); go(); };
    return make("tr", {}, make("td", {}, make("button", { type: "button", class: "link", onclick: open }, label)),
      number(count.map((c) => c.toLocaleString("en")).join(" / ")), number(shown(x), "first"), alone ? null : number(shown(y), "second"),
      pair ? number(x == null || y == null ? "–" : signed(shown(x - y)), p <= data.alpha ? "significant" : "") : null, pair ? number(shownP(p), p <= data.alpha ? "significant" : "") : null, make("td", {}, drawn(b)));
  });
  const heads = ["bucket", view.unit, alone ? "system" : "first", ...(alone ? [] : ["second"]), ...(pair ? ["difference", "p"] : []), measure.metric == null ? "F1" : metrics[measure.metric].name];
  const title = `${view.title}: ${both.map((s) => systems[s]).join(" and ")}`;
  place.replaceChildren(make("div", { class: "table", tabindex: 0, role: "group", "aria-label": title }, make("table", {},
    make("thead", {}, make("tr", {}, ...heads.map((text, column) => make("th", { class: column === 0 || column === heads.length - 1 ? "" : "number" }, text)))),
    make("tbody", {}, ...rows))));
  place.hidden = false;
};

// Segments: scores of both systems, and texts.
const where = $("#segments-of-pair");
const metric = () => metrics[state.metric];
const difference = (segment) => {
  const x = scoreOf(metric(), state.a, segment), y = scoreOf(metric(), state.b, segment);
  return x == null || y == null ? null : x - y;
};
const textOf = (segment) => data.texts[segment];
const matches = (segment) => {
  if (state.only != null) return segment === state.only;
  if (state.bucket && !(state.bucket.segments ? state.bucket.segments.has(segment) : within(state.bucket, segment))) return false;
  const better = Math.sign(difference(segment)) * metric().sign;
  if (state.which === "a" && !(better > 0)) return false;
  if (state.which === "b" && !(better < 0)) return false;
  if (!state.wanted) return true;
  const texts = textOf(segment);
  if (!texts) return false;
  const words = ([pieces]) => pieces.map((piece) => typeof piece === "string" ? piece : piece[1]).join("");
  return [texts.source, ...texts.references, words(texts.outputs[state.a]), words(texts.outputs[state.b])].some((text) => text && text.toLowerCase().includes(state.wanted));
};
const isolated = (language, ...children) => make("bdi", { dir: "auto", lang: language || null }, ...children);
const output = ([pieces, missing], language) => isolated(language, ...pieces.map((piece) => typeof piece === "string" ? piece : make([, "del", "mark", "em"][piece[0]], {}, piece[1])),
  missing ? make("ins", {}, ` − ${missing}`) : null);
const card = (segment) => {
  const texts = textOf(segment), [source, target] = data.languages, several = texts.references.length > 1;
  const scores = (system) => make("small", {}, [...metrics.map((one) => `${one.name} ${fixed(scoreOf(one, system, segment), one.digits)}`), texts.outputs[system][2]].filter(Boolean).join(" · "));
  const rows = [];
  if (texts.source != null) rows.push(make("dt", {}, "source"), make("dd", {}, isolated(source, texts.source)));
  texts.references.forEach((text, place) => rows.push(make("dt", {}, several ? `reference ${place + 1}` : "reference"), make("dd", {}, isolated(target, text))));
  for (const [system, kind] of alone ? [[state.a, "first"]] : [[state.a, "first"], [state.b, "second"]]) {
    rows.push(make("dt", { class: kind }, make("bdi", {}, systems[system])), make("dd", {}, output(texts.outputs[system], target), scores(system)));
  }
  const by = difference(segment);
  return make("div", { class: "example" }, make("p", {}, make("b", {}, `segment ${segment + 1}`),
    alone ? null : make("span", {}, `${metric().name} ${signed(fixed(by, metric().digits))}`)), make("dl", {}, ...rows));
};
const scatter = make("div", { class: "scatter" }), filters = make("div", { class: "filters" }), list = make("div", { "aria-live": "polite" });
const axis = (values) => {
  const low = Math.min(...values), high = Math.max(...values), rough = (high - low) / 5 || 1, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((one) => one * power >= rough) * power;
  const first = Math.floor(low / step) * step;
  return { low: first, high: Math.max(Math.ceil(high / step) * step, first + step), step };
};
const drawScatter = (kept) => {
  const side = 400, margin = 40, edge = 22, points = [];
  for (let segment = 0; segment < size; segment++) {
    const x = scoreOf(metric(), state.a, segment), y = scoreOf(metric(), state.b, segment);
    if (x != null && y != null) points.push([x, y, segment]);
  }
  if (!points.length) return scatter.replaceChildren();
  const { low, high, step } = axis(points.flatMap(([x, y]) => [x, y]).reduce(([least, most], value) => [Math.min(least, value), Math.max(most, value)], [Infinity, -Infinity]));
  const room = side - margin - edge, across = (value) => margin + ((value - low) / (high - low)) * room, down = (value) => side - margin - ((value - low) / (high - low)) * room;
  const paths = { first: "", second: "", faint: "" };
  for (const [x, y, segment] of points) {
    const dot = `M${across(x).toFixed(1)} ${down(y).toFixed(1)}h0`;
    paths[!kept.has(segment) ? "faint" : (x - y) * metric().sign > 0 ? "first" : x === y ? "faint" : "second"] += dot;
  }
  const parts = [make("title", {}, `${metric().name} of ${points.length} segments: ${systems[state.a]} across, ${systems[state.b]} up`)];
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  for (let value = low; value <= high + step / 2; value += step) {
    parts.push(make("path", { class: "axis", d: `M${across(value)} ${down(low)}V${down(high)}M${across(low)} ${down(value)}H${across(high)}` }),
      make("text", { x: across(value), y: side - margin + 15, "text-anchor": "middle" }, value.toFixed(decimals)),
      make("text", { x: margin - 6, y: down(value) + 4, "text-anchor": "end" }, value.toFixed(decimals)));
  }
  parts.push(make("path", { class: "axis", d: `M${across(low)} ${down(low)}L${across(high)} ${down(high)}` }),
    make("path", { class: "faint", stroke: "currentColor", d: paths.faint }), make("path", { class: "first", stroke: "currentColor", d: paths.first }),
    make("path", { class: "second", stroke: "currentColor", d: paths.second }),
    make("text", { x: side - edge, y: side - 6, "text-anchor": "end" }, `${systems[state.a]} →`), make("text", { x: 4, y: 12 }, `↑ ${systems[state.b]}`));
  if (state.only != null) parts.push(make("circle", { cx: across(scoreOf(metric(), state.a, state.only)), cy: down(scoreOf(metric(), state.b, state.only)), r: 7 }));
  const pick = (event) => {
    const box = svg.getBoundingClientRect(), scale = side / box.width, x = (event.clientX - box.left) * scale, y = (event.clientY - box.top) * scale;
    const near = (point) => (across(point[0]) - x) ** 2 + (down(point[1]) - y) ** 2;
    const best = points.reduce((one, other) => near(other) < near(one) ? other : one);
    if (near(best) < 400) { state.only = best[2]; update(); }
  };
  const svg = make("svg", { role: "img", viewBox: `0 0 ${side} ${side}`, onclick: pick }, ...parts);
  scatter.replaceChildren(svg, make("p", { class: "key" }, "A dot is a segment: below the line the first system is better, above it the second. A click shows the segment.".replace(
    "below the line the first system is better, above it the second", metric().sign < 0 ? "above the line the first system is better, below it the second" : "below the line the first system is better, above it the second")));
};
const drawFilters = () => {
  const pick = (label, key, options) => {
    const field = make("select", { onchange: () => { state[key] = field.value; state.only = null; state.shown = 6; update(); } },
      ...options.map(([value, text]) => make("option", { value, selected: state[key] === value }, text)));
    return make("label", {}, label, field);
  };
  const search = make("input", { type: "search", value: state.wanted, oninput: () => { state.wanted = search.value.toLowerCase(); state.only = null; state.shown = 6; drawSegments(); } });
  filters.replaceChildren(make("label", {}, "Words in a text", search),
    ...(alone ? [] : [pick("Better", "which", [["all", "either"], ["a", systems[state.a]], ["b", systems[state.b]]]),
      pick("Order", "sort", [["size", "largest difference"], ["number", "segment number"]])]));
};
const drawSegments = () => {
  const found = [];
  for (let segment = 0; segment < size; segment++) if (matches(segment)) found.push(segment);
  if (state.sort === "size" && !alone) {
    const by = new Map(found.map((segment) => [segment, Math.abs(difference(segment) ?? 0)]));
    found.sort((x, y) => by.get(y) - by.get(x) || x - y);
  }
  if (!alone) drawScatter(new Set(found));
  const there = found.filter(textOf), absent = found.length - there.length;
  const clear = () => { state.bucket = null; state.only = null; update(); };
  const what = state.only != null ? "Segment chosen in the chart" : state.bucket ? `${state.bucket.view ? `${state.bucket.view.title}: ` : ""}${state.bucket.label}` : "All segments";
  const heading = make("p", { id: "found" }, make("b", {}, what), ` · ${found.length.toLocaleString("en")} of ${size.toLocaleString("en")} segments`, absent ? `, ${there.length} with texts in this report ` : " ",
    state.bucket || state.only != null ? make("button", { type: "button", class: "link", onclick: clear }, "show all") : null);
  const numbers = found.filter((segment) => !textOf(segment));
  list.replaceChildren(heading, ...there.slice(0, state.shown).map(card),
    there.length > state.shown ? make("button", { type: "button", class: "more", onclick: () => { state.shown += 20; drawSegments(); } }, `Show more of ${there.length}`) : "",
    absent ? make("p", { class: "notes" }, `Without texts here (mtassay report --examples N): ${numbers.slice(0, 200).map((segment) => segment + 1).join(", ")}${absent > 200 ? " …" : ""}`) : "");
};
const go = () => { $("#found").scrollIntoView({ block: "center" }); $("#found").setAttribute("tabindex", "-1"); $("#found").focus({ preventScroll: true }); };
const update = () => {
  if (controls) { const focused = $$("select", controls).indexOf(document.activeElement); drawControls(); if (focused >= 0) $$("select", controls)[focused].focus(); }
  $$(".buckets").forEach(drawBuckets);
  drawFilters();
  drawSegments();
};
where.append(alone ? "" : scatter, make("div", {}, filters, list, make("p", { class: "notes" }, make("del", {}, "word"), ": not in the reference; ", ...(data.similar ? [make("em", {}, "word"), ": there in another form"] : [make("mark", {}, "word"), ": in another place there"]),
  "; −: words of the reference that the output lacks. Words of Hjerson’s error classes: inflection, order (reord), missing, extra, lexical.")));
where.hidden = false;
if (controls) controls.hidden = false;
// The script shows these segments, and those of every other pair.
for (let next = where.nextElementSibling; next && next.matches("h3, .example, .notes, p"); next = next.nextElementSibling) next.hidden = true;
$$(".buckets").forEach((place) => {
  const tables = $$(".table", place.parentElement).filter((table) => !place.contains(table));
  tables.forEach((table, number) => fold(table, `All systems${tables.length > 1 ? `, ${metrics[number].name}` : ""}`));
});
// n-grams open their segments.
$$("[data-segments]").forEach((cell) => {
  const numbers = cell.dataset.segments.split(" ").map((text) => Number(text) - 1), label = cell.textContent;
  const open = () => { state.bucket = { label: `n-gram “${label}”`, segments: new Set(numbers) }; [state.a, state.b] = data.pair; state.only = null; update(); go(); };
  cell.replaceChildren(make("button", { type: "button", class: "link", onclick: open }, label));
});
// Two systems of a table open side by side.
let last = null;
$$("#scores tbody tr").forEach((row) => {
  const system = systems.indexOf(row.cells[0].textContent);
  if (system < 0 || alone) return;
  const open = () => {
    if (last == null || last === system) { last = system; note.textContent = `${systems[system]} is the first system: choose a second one.`; return; }
    [state.a, state.b] = [last, system];
    last = null;
    note.textContent = "";
    update();
    $("#differences")?.scrollIntoView();
  };
  row.cells[0].replaceChildren(make("button", { type: "button", class: "link", onclick: open }, systems[system]));
});
const note = make("p", { class: "notes", role: "status" }, alone ? "" : "Choose two systems to see where they differ.");
$("#scores .table")?.after(note);
update();
})();
