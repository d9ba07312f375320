// All pages: light and dark, navigation, tables that are sorted and filtered, alternatives.
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
const dark = () =>
    (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
const themed = make("button", {
    type: "button",
    onclick: () => {
        root.dataset.theme = dark() ? "light" : "dark";
        name();
    },
});
const name = () => {
    themed.textContent = dark() ? "Light" : "Dark";
};
name();
$("#tools").append(themed, make("button", { type: "button", onclick: () => print() }, "Print"));

// The place in the navigation.
const links = $$("nav a");
if (links.length) {
    const seen = new IntersectionObserver(
        (entries) => {
            for (const entry of entries) {
                if (!entry.isIntersecting) continue;
                links.forEach((link) =>
                    link.getAttribute("href") === "#" + entry.target.id
                        ? link.setAttribute("aria-current", "true")
                        : link.removeAttribute("aria-current"),
                );
            }
        },
        { rootMargin: "-15% 0px -75% 0px" },
    );
    links.forEach((link) => {
        const part = $(link.getAttribute("href"));
        if (part) seen.observe(part);
    });
}

// Tables: sorted by a click on a column, filtered where they are long.
const valueOf = (cell) => {
    const text = cell.textContent.trim();
    const number = parseFloat(
        text
            .replace(/^[[<≤+*]+/, "")
            .replace(/,(?=\d{3})/g, "")
            .replace("−", "-"),
    );
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
        // Cells without a number come last in both orders.
        if (numbers && typeof x !== typeof y) return typeof x === "number" ? -1 : 1;
        const order = numbers && typeof x === "number" ? x - y : String(x).localeCompare(String(y));
        return up ? order : -order;
    });
    $("tbody", table).append(...rows.map(([, row]) => row));
};
const enhance = (table) => {
    $$("th", table).forEach((head, column) => {
        if (head.textContent.trim())
            head.replaceChildren(
                make("button", { type: "button", onclick: () => sort(table, column) }, ...head.childNodes),
            );
        else head.replaceWith(make("td"));
    });
    const rows = $$("tbody tr", table);
    if (rows.length < 25) return;
    const field = make("input", {
        class: "filter",
        type: "search",
        placeholder: "Filter rows",
        "aria-label": "Filter rows",
        oninput: () => {
            const wanted = field.value.toLowerCase();
            rows.forEach((row) => {
                row.hidden = !row.textContent.toLowerCase().includes(wanted);
            });
        },
    });
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
        return make(
            "button",
            { type: "button", role: "tab", "aria-controls": panel.id, onclick: () => show(place) },
            panel.dataset.title,
        );
    });
    const show = (place) =>
        tabs.forEach((tab, other) => {
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

// Long tables with the numbers of a chart are closed until the reader opens them.
const fold = (table, title) => {
    const filter = table.previousElementSibling?.matches(".filter") ? table.previousElementSibling : null;
    const closed = make("details", {}, make("summary", {}, title));
    table.before(closed);
    if (filter) closed.append(filter);
    closed.append(table);
};
$$("#significance .tab").forEach((tab) => {
    const tables = $$(".table", tab);
    if (tables[1]) fold(tables[1], "All pairs as a table");
});
