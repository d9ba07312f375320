// Connects the parts: what is redrawn after a choice, and what opens segments.
const go = () => {
    heading.scrollIntoView({ block: "center" });
    heading.focus({ preventScroll: true });
};
const keepingFocus = (form, draw) => {
    const focused = $$("select, input", form).indexOf(document.activeElement);
    draw();
    if (focused >= 0) $$("select, input", form)[focused].focus();
};
const update = () => {
    if (controls) keepingFocus(controls, drawControls);
    $$(".buckets").forEach(drawBuckets);
    keepingFocus(filters, drawFilters);
    drawSegments();
};
where.append(
    alone ? "" : scatter,
    make(
        "div",
        {},
        filters,
        heading,
        list,
        make(
            "p",
            { class: "notes" },
            make("del", {}, "word"),
            ": not in the reference; ",
            ...(data.similar
                ? [make("em", {}, "word"), ": in the reference in another form"]
                : [make("mark", {}, "word"), ": elsewhere in the reference"]),
            "; −: words of the reference that the output lacks. Words of Hjerson’s error classes: inflection, order (reord), missing, extra, lexical.",
        ),
    ),
);
where.hidden = false;
if (controls) controls.hidden = false;
// The script can show these segments for every pair, so hide the static ones.
for (
    let next = where.nextElementSibling;
    next && next.matches("h3, .example, .notes, p");
    next = next.nextElementSibling
)
    next.hidden = true;
$$(".buckets").forEach((place) => {
    const tables = $$(".table", place.parentElement).filter((table) => !place.contains(table));
    tables.forEach((table, number) =>
        fold(table, `All systems${tables.length > 1 ? `, ${metrics[number].name}` : ""}`),
    );
});
// n-grams open their segments.
$$("[data-segments]").forEach((cell) => {
    const numbers = cell.dataset.segments.split(" ").map((text) => Number(text) - 1),
        label = cell.textContent;
    const open = () => {
        state.bucket = { label: `n-gram “${label}”`, segments: new Set(numbers) };
        [state.a, state.b] = data.pair;
        state.only = null;
        update();
        go();
    };
    cell.replaceChildren(make("button", { type: "button", class: "link", onclick: open }, label));
});
// Two systems of a table open side by side.
let last = null;
$$("#scores tbody tr").forEach((row) => {
    const system = systems.indexOf(row.cells[0].textContent);
    if (system < 0 || alone) return;
    const open = () => {
        if (last == null || last === system) {
            last = system;
            note.textContent = `${systems[system]} is the first system: choose a second one.`;
            return;
        }
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
