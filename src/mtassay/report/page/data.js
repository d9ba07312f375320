// The data of a page (systems, metrics, segments), number formats, and the choices of the reader.
const data = JSON.parse($("#data").textContent);
const { systems, metrics, views, n: size } = data;
const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer;
const lazily = (make) => {
    let found;
    return () => (found ??= make());
};
metrics.forEach((metric) => {
    metric.all = lazily(() =>
        metric.kind === "<i2" ? new Int16Array(bytes(metric.scores)) : new Int32Array(bytes(metric.scores)),
    );
    metric.none = metric.kind === "<i2" ? -(2 ** 15) : -(2 ** 31);
});
const scoreOf = (metric, system, segment) => {
    const value = metric.all()[system * size + segment];
    return value === metric.none ? null : value / 10 ** metric.digits;
};
// Rounds half-way cases as Python prints them.
const fixed = (value, digits) => {
    if (value == null) return "–";
    const moved = Math.abs(value) * 10 ** digits;
    const text = (moved % 1 === 0.5 ? (Math.sign(value) * 2 * Math.round(moved / 2)) / 10 ** digits : value).toFixed(
        digits,
    );
    return Number(text) === 0 ? text.replace("-", "") : text;
};
const share = (text) => (Math.abs(parseFloat(text)) < 1 ? text.replace("0.", ".") : text);
const signed = (text) => (/^[-–]/.test(text) ? text : "+" + text);
const shownP = (p) =>
    p == null || Number.isNaN(p)
        ? "–"
        : p < 0.001
          ? p.toExponential(1).replace(/e-(\d)$/, "e-0$1")
          : String(Number(p.toPrecision(2))).replace(/^0\./, ".");
const state = {
    a: data.pair[0],
    b: data.pair[1],
    metric: 0,
    bucket: null,
    wanted: "",
    which: "all",
    sort: "size",
    shown: 6,
    only: null,
};
const alone = systems.length < 2;

// The two systems and the metric.
const choice = (label, kind, options, get, set) => {
    const field = make(
        "select",
        {
            onchange: () => {
                set(Number(field.value));
                update();
            },
        },
        ...options.map(([value, text]) => make("option", { value, selected: value === get() }, text)),
    );
    return make(
        "label",
        { class: kind },
        make("span", {}, kind ? make("span", { class: "swatch" }) : null, label),
        field,
    );
};
const controls = $("#controls");
const ordered = data.order.map((system) => [system, systems[system]]);
// The choice of one system; choosing the other one exchanges the two.
const systemChoice = (label, kind, own, other) =>
    choice(
        label,
        kind,
        ordered,
        () => state[own],
        (value) => {
            if (value === state[other]) state[other] = state[own];
            state[own] = value;
        },
    );
const drawControls = () =>
    controls.replaceChildren(
        systemChoice(alone ? "System" : "First system", "first", "a", "b"),
        alone ? null : systemChoice("Second system", "second", "b", "a"),
        choice(
            "Metric",
            "",
            metrics.map((metric, place) => [place, metric.name]),
            () => state.metric,
            (value) => {
                state.metric = value;
            },
        ),
    );
