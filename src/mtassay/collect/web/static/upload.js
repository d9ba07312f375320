"use strict";
(() => {
  const form = document.querySelector("#upload");
  if (!form) return;
  const inputs = [...form.querySelectorAll("input[type=file]")];
  const alertBox = document.querySelector("#alert");
  const say = (text) => {
    const p = document.createElement("p");
    p.textContent = text;
    alertBox.replaceChildren(p);
    alertBox.focus();
    alertBox.scrollIntoView({ block: "nearest" });
  };
  const size = (bytes) => (bytes < 1 << 20 ? `${Math.ceil(bytes / 1024)} kB` : `${(bytes / (1 << 20)).toFixed(1)} MB`);
  const show = (input) => {
    const list = input.closest(".drop").querySelector(".files");
    list.replaceChildren(...[...input.files].map((file) => {
      const li = document.createElement("li");
      li.textContent = `${file.name} (${size(file.size)})`;
      return li;
    }));
  };
  const add = (input, files) => {
    const all = new DataTransfer();
    if (input.multiple) for (const file of input.files) all.items.add(file);
    for (const file of input.multiple ? files : [...files].slice(0, 1)) all.items.add(file);
    input.files = all.files;
    show(input);
  };
  for (const input of inputs) {
    const area = input.closest(".drop");
    input.addEventListener("change", () => show(input));
    area.addEventListener("dragover", (event) => { event.preventDefault(); area.classList.add("over"); });
    area.addEventListener("dragleave", () => area.classList.remove("over"));
    area.addEventListener("drop", (event) => {
      event.preventDefault();
      area.classList.remove("over");
      add(input, event.dataTransfer.files);
    });
    show(input);
  }
  // A file that is dropped beside an area would replace the page.
  for (const kind of ["dragover", "drop"]) document.addEventListener(kind, (event) => event.preventDefault());
  form.addEventListener("submit", (event) => {
    const files = inputs.flatMap((input) => [...input.files]);
    const bytes = files.reduce((sum, file) => sum + file.size, 0);
    const { maxSize, maxFiles } = form.dataset;
    const problem = bytes > maxSize ? `the files have ${size(bytes)} in total: this server accepts ${size(+maxSize)}`
      : files.length > maxFiles ? `${files.length} files: this server accepts ${maxFiles} at a time` : "";
    if (!problem) return;
    event.preventDefault();
    say(problem);
  });
  if (alertBox.textContent) alertBox.focus();
})();
