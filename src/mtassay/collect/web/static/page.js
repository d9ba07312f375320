"use strict";
(() => {
  const $ = (query, of = document) => of.querySelector(query);
  const all = (query, of = document) => [...of.querySelectorAll(query)];
  const key = "mtassay-unsent";
  let since = 0, active = 0, busy = false;
  const form = () => $("#answer");
  const tick = () => {
    const now = performance.now();
    if (!document.hidden && since) active += now - since;
    since = document.hidden ? 0 : now;
  };
  document.addEventListener("visibilitychange", tick);

  const say = (text) => { const box = $("#alert"); if (box) { const p = document.createElement("p"); p.textContent = text; box.replaceChildren(p); } };
  const send = async (action, body) => {
    const reply = await fetch(action, { method: "POST", body: new URLSearchParams(body), credentials: "same-origin" });
    if (reply.status === 503) throw new Error();
    return reply;
  };
  // An answer that cannot be sent is kept and sent again; the server stores it once.
  const deliver = async (action, body) => {
    localStorage.setItem(key, JSON.stringify([action, body]));
    for (;;) {
      try {
        const reply = await send(action, body);
        localStorage.removeItem(key);
        return reply;
      } catch {
        say("Not saved yet: the server cannot be reached. Your answer is kept here and sent again.");
        await new Promise((done) => setTimeout(done, 2000));
      }
    }
  };
  const show = async (reply) => {
    if (reply.redirected) return location.assign(reply.url);
    const page = new DOMParser().parseFromString(await reply.text(), "text/html");
    const last = document.activeElement?.value;
    const main = $("#main", page);
    if (!main) return say(`The server refused this (${reply.status}). Load the page again.`);
    $("#main").replaceWith(main);
    prepare();
    ($(".alert p") ? $("#alert") : all("#answer button").find((one) => one.value === last))?.focus?.();
  };
  const submit = async (event) => {
    event.preventDefault();
    if (busy) return;
    busy = true;
    tick();
    const fields = form();
    fields.active.value = Math.round(active);
    const body = [...new FormData(fields, event.submitter)];
    if (!event.submitter) body.push(["action", "save"]);
    await show(await deliver(fields.getAttribute("action"), body));
    busy = false;
  };

  const choose = (group, digit) => {
    const keys = group.dataset.keys?.split(" ") ?? all("input", group).map((one) => one.value);
    const input = all("input", group)[keys.indexOf(digit)];
    if (input) { input.checked = true; input.focus({ preventScroll: true }); group.scrollIntoView({ block: "nearest" }); }
    return input;
  };
  const press = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !form()) return;
    const at = event.target;
    if (event.key === "Enter" && !at.closest?.("button, a, summary, select")) {
      event.preventDefault();
      return $("button[value=save]").click();
    }
    if (at.matches?.("select, input[type=number]")) return;
    const groups = all("[data-next]"), open = groups.filter((one) => !$(":checked", one));
    if (/^[0-9]$/.test(event.key) && groups.length) {
      const inside = at.closest?.("[data-next]");
      const target = inside && !$(":checked", inside) ? inside : open[0] ?? inside ?? groups.at(-1);
      if (choose(target, event.key)) event.preventDefault();
    } else if (event.key === "Backspace") {
      event.preventDefault();
      const ranked = groups.filter((one) => $(":checked", one));
      if (ranked.length && !$(".note a")) $(":checked", ranked.at(-1)).checked = false;
      else $("#back")?.click();
    } else if (at.name === "token-at" && /^Arrow(Left|Right)$/.test(event.key)) {
      const tokens = all("[name=token-at]"), rtl = getComputedStyle(at.closest("p")).direction === "rtl";
      const next = tokens[tokens.indexOf(at) + ((event.key === "ArrowRight") === rtl ? -1 : 1)];
      if (next) { if (event.shiftKey) at.checked = next.checked = true; next.focus(); event.preventDefault(); }
    }
  };
  document.addEventListener("keydown", press);
  // Words selected by dragging are chosen.
  document.addEventListener("mouseup", () => {
    const chosen = getSelection();
    if (chosen.isCollapsed || !$(".tokens")) return;
    for (const label of all(".tokens label")) if (chosen.containsNode(label, true)) $("input", label).checked = true;
    chosen.removeAllRanges();
  });

  const prepare = () => {
    const fields = form();
    if (!fields) return;
    fields.addEventListener("submit", submit);
    const number = $("#score");
    if (number) {
      const slider = document.createElement("input");
      slider.type = "range"; slider.min = 0; slider.max = 100; slider.setAttribute("aria-label", "Score"); slider.tabIndex = -1;
      const match = () => { slider.classList.toggle("unset", number.value === ""); if (number.value !== "") slider.value = number.value; };
      slider.addEventListener("input", () => { number.value = slider.value; match(); });
      number.addEventListener("input", match);
      number.closest("p").before(slider);
      match();
    }
  };
  tick();
  prepare();
  if ($("#score") && !$(".tokens")) $("#score").focus({ preventScroll: true });
  const unsent = localStorage.getItem(key);
  if (unsent) deliver(...JSON.parse(unsent)).then(show).catch(() => localStorage.removeItem(key));
})();
