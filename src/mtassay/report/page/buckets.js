// Buckets: both systems with their intervals on one scale; a bucket opens its segments.
const pairPlace = (x, y) => {
    const [i, j] = x < y ? [x, y] : [y, x];
    return i * systems.length - (i * (i + 1)) / 2 + (j - i - 1);
};
const has = (member, segment) => (member[segment >> 3] >> (segment & 7)) & 1;
views.forEach((view) => {
    view.bits = view.members.map((ofBucket) => lazily(() => ofBucket.map((text) => new Uint8Array(bytes(text)))));
    view.measures.forEach((measure) => {
        measure.ps = lazily(() => new Float64Array(bytes(measure.p)));
    });
});
const within = (bucket, segment) => {
    const members = bucket.view.bits[bucket.place]();
    return members.length === 1
        ? has(members[0], segment)
        : has(members[state.a], segment) || has(members[state.b], segment);
};
const drawBuckets = (place) => {
    const view = views.find((one) => one.name === place.dataset.view);
    if (!view) return;
    const measure = view.measures.find((one) => one.metric === state.metric) || view.measures[0];
    const shown = (value) =>
        measure.metric == null ? share(fixed(value, measure.digits)) : fixed(value, measure.digits);
    const both = alone ? [state.a] : [state.a, state.b];
    const empty = (b) => [view.sizes[b]].flat().every((count) => count === 0);
    const ends = view.labels
        .flatMap((_, b) =>
            empty(b)
                ? []
                : both.flatMap((s) => [
                      measure.low[b][s] ?? measure.scores[b][s],
                      measure.high[b][s] ?? measure.scores[b][s],
                  ]),
        )
        .filter((value) => value != null);
    const low = Math.min(...ends),
        span = Math.max(...ends) - low || 1;
    const width = 260,
        at = (value) => (6 + ((value - low) / span) * (width - 12)).toFixed(1);
    const drawn = (b) =>
        make(
            "svg",
            { class: "pair", width, height: both.length * 13 + 3, "aria-hidden": "true" },
            ...both.flatMap((s, n) => {
                const value = measure.scores[b][s];
                if (value == null || empty(b)) return [];
                const y = 8 + n * 13,
                    kind = n ? "second" : "first";
                return [
                    make("path", {
                        class: kind,
                        stroke: "currentColor",
                        "stroke-width": 1.5,
                        d: `M${at(measure.low[b][s] ?? value)} ${y}H${at(measure.high[b][s] ?? value)}`,
                    }),
                    n
                        ? make("rect", {
                              class: kind,
                              fill: "currentColor",
                              x: at(value) - 3.5,
                              y: y - 3.5,
                              width: 7,
                              height: 7,
                          })
                        : make("circle", { class: kind, fill: "currentColor", cx: at(value), cy: y, r: 4 }),
                ];
            }),
        );
    const number = (text, kind = "") => make("td", { class: `number ${kind}` }, text);
    const pair = !alone && measure.sign !== 0;
    const rows = view.labels.map((label, b) => {
        const [x, y] = both.map((s) => measure.scores[b][s]);
        const p = pair
            ? measure.ps()[(b * (systems.length * (systems.length - 1))) / 2 + pairPlace(state.a, state.b)]
            : null;
        const sizes = [view.sizes[b]].flat();
        const count = sizes.length === 1 ? sizes : both.map((s) => sizes[s]);
        const open = () => {
            state.bucket = { view, place: b, label };
            state.only = null;
            state.shown = 6;
            update();
            go();
        };
        return make(
            "tr",
            {},
            make("td", {}, make("button", { type: "button", class: "link", onclick: open }, label)),
            number(count.map((c) => c.toLocaleString("en")).join(" / ")),
            number(shown(x), "first"),
            alone ? null : number(shown(y), "second"),
            pair
                ? number(x == null || y == null ? "–" : signed(shown(x - y)), p <= data.alpha ? "significant" : "")
                : null,
            pair ? number(shownP(p), p <= data.alpha ? "significant" : "") : null,
            make("td", {}, drawn(b)),
        );
    });
    const heads = [
        "bucket",
        view.unit,
        alone ? "system" : "first",
        ...(alone ? [] : ["second"]),
        ...(pair ? ["difference", "p"] : []),
        measure.metric == null ? "F1" : metrics[measure.metric].name,
    ];
    const title = `${view.title}: ${both.map((s) => systems[s]).join(" and ")}`;
    place.replaceChildren(
        make(
            "div",
            { class: "table", tabindex: 0, role: "group", "aria-label": title },
            make(
                "table",
                {},
                make(
                    "thead",
                    {},
                    make(
                        "tr",
                        {},
                        ...heads.map((text, column) =>
                            make("th", { class: column === 0 || column === heads.length - 1 ? "" : "number" }, text),
                        ),
                    ),
                ),
                make("tbody", {}, ...rows),
            ),
        ),
    );
    place.hidden = false;
};
