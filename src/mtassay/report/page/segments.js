// Segments: scores of both systems, and texts.
const where = $("#segments-of-pair");
const metric = () => metrics[state.metric];
const difference = (segment) => {
    const x = scoreOf(metric(), state.a, segment),
        y = scoreOf(metric(), state.b, segment);
    return x == null || y == null ? null : x - y;
};
const textOf = (segment) => data.texts[segment];
const matches = (segment) => {
    if (state.only != null) return segment === state.only;
    if (state.bucket && !(state.bucket.segments ? state.bucket.segments.has(segment) : within(state.bucket, segment)))
        return false;
    const better = Math.sign(difference(segment)) * metric().sign;
    if (state.which === "a" && !(better > 0)) return false;
    if (state.which === "b" && !(better < 0)) return false;
    if (!state.wanted) return true;
    const texts = textOf(segment);
    if (!texts) return false;
    const words = ([pieces]) => pieces.map((piece) => (typeof piece === "string" ? piece : piece[1])).join("");
    return [texts.source, ...texts.references, words(texts.outputs[state.a]), words(texts.outputs[state.b])].some(
        (text) => text && text.toLowerCase().includes(state.wanted),
    );
};
const isolated = (language, ...children) => make("bdi", { dir: "auto", lang: language || null }, ...children);
const output = ([pieces, missing], language) =>
    isolated(
        language,
        ...pieces.map((piece) =>
            typeof piece === "string" ? piece : make([, "del", "mark", "em"][piece[0]], {}, piece[1]),
        ),
        missing ? make("ins", {}, ` − ${missing}`) : null,
    );
const card = (segment) => {
    const texts = textOf(segment),
        [source, target] = data.languages,
        several = texts.references.length > 1;
    const scores = (system) =>
        make(
            "small",
            {},
            [
                ...metrics.map((one) => `${one.name} ${fixed(scoreOf(one, system, segment), one.digits)}`),
                texts.outputs[system][2],
            ]
                .filter(Boolean)
                .join(" · "),
        );
    const rows = [];
    if (texts.source != null) rows.push(make("dt", {}, "source"), make("dd", {}, isolated(source, texts.source)));
    texts.references.forEach((text, place) =>
        rows.push(
            make("dt", {}, several ? `reference ${place + 1}` : "reference"),
            make("dd", {}, isolated(target, text)),
        ),
    );
    for (const [system, kind] of alone
        ? [[state.a, "first"]]
        : [
              [state.a, "first"],
              [state.b, "second"],
          ]) {
        rows.push(
            make("dt", { class: kind }, make("bdi", {}, systems[system])),
            make("dd", {}, output(texts.outputs[system], target), scores(system)),
        );
    }
    const by = difference(segment);
    return make(
        "div",
        { class: "example" },
        make(
            "p",
            {},
            make("b", {}, `segment ${segment + 1}`),
            alone ? null : make("span", {}, `${metric().name} ${signed(fixed(by, metric().digits))}`),
        ),
        make("dl", {}, ...rows),
    );
};
const scatter = make("div", { class: "scatter" }),
    filters = make("div", { class: "filters" }),
    list = make("div"),
    // Stays where it is, so that screen readers say what has changed.
    heading = make("p", { id: "found", role: "status", tabindex: -1 });
const axis = (values) => {
    const low = Math.min(...values),
        high = Math.max(...values),
        rough = (high - low) / 5 || 1,
        power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].find((one) => one * power >= rough) * power;
    const first = Math.floor(low / step) * step;
    return { low: first, high: Math.max(Math.ceil(high / step) * step, first + step), step };
};
const drawScatter = (kept) => {
    const side = 400,
        margin = 40,
        edge = 22,
        points = [];
    for (let segment = 0; segment < size; segment++) {
        const x = scoreOf(metric(), state.a, segment),
            y = scoreOf(metric(), state.b, segment);
        if (x != null && y != null) points.push([x, y, segment]);
    }
    if (!points.length) return scatter.replaceChildren();
    const { low, high, step } = axis(
        points
            .flatMap(([x, y]) => [x, y])
            .reduce(([least, most], value) => [Math.min(least, value), Math.max(most, value)], [Infinity, -Infinity]),
    );
    const room = side - margin - edge,
        across = (value) => margin + ((value - low) / (high - low)) * room,
        down = (value) => side - margin - ((value - low) / (high - low)) * room;
    const paths = { first: "", second: "", faint: "" };
    for (const [x, y, segment] of points) {
        const dot = `M${across(x).toFixed(1)} ${down(y).toFixed(1)}h0`;
        paths[!kept.has(segment) ? "faint" : (x - y) * metric().sign > 0 ? "first" : x === y ? "faint" : "second"] +=
            dot;
    }
    const parts = [
        make(
            "title",
            {},
            `${metric().name} of ${points.length} segments: ${systems[state.a]} across, ${systems[state.b]} up`,
        ),
    ];
    const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    for (let value = low; value <= high + step / 2; value += step) {
        parts.push(
            make("path", {
                class: "axis",
                d: `M${across(value)} ${down(low)}V${down(high)}M${across(low)} ${down(value)}H${across(high)}`,
            }),
            make("text", { x: across(value), y: side - margin + 15, "text-anchor": "middle" }, value.toFixed(decimals)),
            make("text", { x: margin - 6, y: down(value) + 4, "text-anchor": "end" }, value.toFixed(decimals)),
        );
    }
    parts.push(
        make("path", { class: "axis", d: `M${across(low)} ${down(low)}L${across(high)} ${down(high)}` }),
        make("path", { class: "faint", stroke: "currentColor", d: paths.faint }),
        make("path", { class: "first", stroke: "currentColor", d: paths.first }),
        make("path", { class: "second", stroke: "currentColor", d: paths.second }),
        make("text", { x: side - edge, y: side - 6, "text-anchor": "end" }, `${systems[state.a]} →`),
        make("text", { x: 4, y: 12 }, `↑ ${systems[state.b]}`),
    );
    if (state.only != null)
        parts.push(
            make("circle", {
                cx: across(scoreOf(metric(), state.a, state.only)),
                cy: down(scoreOf(metric(), state.b, state.only)),
                r: 7,
            }),
        );
    const pick = (event) => {
        const box = svg.getBoundingClientRect(),
            scale = side / box.width,
            x = (event.clientX - box.left) * scale,
            y = (event.clientY - box.top) * scale;
        const near = (point) => (across(point[0]) - x) ** 2 + (down(point[1]) - y) ** 2;
        const best = points.reduce((one, other) => (near(other) < near(one) ? other : one));
        if (near(best) < 400) {
            state.only = best[2];
            update();
        }
    };
    const svg = make("svg", { role: "img", viewBox: `0 0 ${side} ${side}`, onclick: pick }, ...parts);
    scatter.replaceChildren(
        svg,
        make(
            "p",
            { class: "key" },
            "A dot is a segment: below the line the first system is better, above it the second. A click shows the segment.".replace(
                "below the line the first system is better, above it the second",
                metric().sign < 0
                    ? "above the line the first system is better, below it the second"
                    : "below the line the first system is better, above it the second",
            ),
        ),
    );
};
const drawFilters = () => {
    const pick = (label, key, options) => {
        const field = make(
            "select",
            {
                onchange: () => {
                    state[key] = field.value;
                    state.only = null;
                    state.shown = 6;
                    update();
                },
            },
            ...options.map(([value, text]) => make("option", { value, selected: state[key] === value }, text)),
        );
        return make("label", {}, label, field);
    };
    const search = make("input", {
        type: "search",
        value: state.wanted,
        oninput: () => {
            state.wanted = search.value.toLowerCase();
            state.only = null;
            state.shown = 6;
            drawSegments();
        },
    });
    filters.replaceChildren(
        make("label", {}, "Words in a text", search),
        ...(alone
            ? []
            : [
                  pick("Better", "which", [
                      ["all", "either"],
                      ["a", systems[state.a]],
                      ["b", systems[state.b]],
                  ]),
                  pick("Order", "sort", [
                      ["size", "largest difference"],
                      ["number", "segment number"],
                  ]),
              ]),
    );
};
const drawSegments = () => {
    const found = [];
    for (let segment = 0; segment < size; segment++) if (matches(segment)) found.push(segment);
    if (state.sort === "size" && !alone) {
        const by = new Map(found.map((segment) => [segment, Math.abs(difference(segment) ?? 0)]));
        found.sort((x, y) => by.get(y) - by.get(x) || x - y);
    }
    if (!alone) drawScatter(new Set(found));
    const there = found.filter(textOf),
        absent = found.length - there.length;
    const clear = () => {
        state.bucket = null;
        state.only = null;
        update();
    };
    const what =
        state.only != null
            ? "Segment chosen in the chart"
            : state.bucket
              ? `${state.bucket.view ? `${state.bucket.view.title}: ` : ""}${state.bucket.label}`
              : "All segments";
    const chosen = state.bucket || state.only != null;
    heading.replaceChildren(
        make("b", {}, what),
        ` · ${found.length.toLocaleString("en")} of ${size.toLocaleString("en")} segments`,
        absent ? `, ${there.length} with texts in this report ` : " ",
        chosen ? make("button", { type: "button", class: "link", onclick: clear }, "show all") : "",
    );
    const more = () => {
        const first = state.shown;
        state.shown += 20;
        drawSegments();
        const next = $$(".example", list)[first];
        next.tabIndex = -1;
        next.focus();
    };
    const numbers = found.filter((segment) => !textOf(segment)).map((segment) => segment + 1);
    const without = `Without texts here (mtassay report --examples N): ${numbers.slice(0, 20).join(", ")}`;
    list.replaceChildren(
        ...there.slice(0, state.shown).map(card),
        there.length > state.shown
            ? make("button", { type: "button", class: "more", onclick: more }, `Show more of ${there.length}`)
            : "",
        absent ? make("p", { class: "notes" }, without + (absent > 20 ? " …" : "")) : "",
    );
};
