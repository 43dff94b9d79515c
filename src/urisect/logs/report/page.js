
// Tables: sorting, search, pages, and a copy as CSV. Charts: the values of a bar, by pointer and by keyboard.

const create = (name, properties, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};

// A cell is [text, number, tooltip]; the number and the tooltip may be missing.
const readCell = (cell) => [cell.textContent, cell.dataset.order && Number(cell.dataset.order), cell.title];

const UNDEFINED = "(none)";

const compareCells = ([text, number], [otherText, otherNumber]) =>
  typeof number === "number" ? number - otherNumber : (text ?? UNDEFINED).localeCompare(otherText ?? UNDEFINED);

const quoteField = (text) => {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text; // or else a spreadsheet may run it as a formula
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

// A value of a field is a button, which shows the command for a report about its lines.
const { command, where } = document.querySelector("main").dataset;
const explanation = create("p");
const commandText = create("code", { tabIndex: 0 });
const copyCommand = create("button", { type: "button" }, "Copy");
const closeCommand = create("button", { type: "button" }, "Close");
const commandParts = create("div", {}, explanation, commandText, copyCommand, " ", closeCommand);
const dialog = create("dialog", { className: "command", ariaLabel: "Command for these lines" }, commandParts);
document.body.append(dialog);
closeCommand.addEventListener("click", () => dialog.close());
dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close()); // what is around it

const writeText = async (text, place, done) => {
  try {
    await navigator.clipboard.writeText(text);
    place.textContent = done;
  } catch {
    place.textContent = "the browser does not allow to copy";
  }
};
copyCommand.addEventListener("click", () => writeText(commandText.textContent, copyCommand, "Copied"));

const quoteText = (text) => `'${text.replaceAll("'", "''")}'`; // in SQL
const quoteArgument = (text) => (/["$`\\!]/.test(text) ? `'${text.replaceAll("'", `'"'"'`)}'` : `"${text}"`); // in a shell

const showCommand = (field, text) => {
  const value = field === "status" ? text.split(" ")[0] : text;
  const isWhole = !/[\\…]|\.\.\. \(\d+ bytes, SHA-256 /.test(value);
  const condition = value === UNDEFINED ? `${field} IS NULL` : `${field} = ${quoteText(value)}`;
  const whole = where ? `(${where}) AND ${condition}` : condition;
  explanation.textContent = isWhole
    ? "A report about these lines only:"
    : "The value is shortened here, or has characters that cannot be shown. All values of the field:";
  commandText.textContent = isWhole
    ? `${command} --where ${quoteArgument(whole)} -o report.html`
    : command.replace("urisect report", `urisect top ${field}`).replace(" --without-bots", "");
  copyCommand.textContent = "Copy";
  dialog.showModal();
  copyCommand.focus();
};

class Table {
  constructor(section) {
    this.table = section.querySelector("table");
    this.body = this.table.tBodies[0];
    if (this.table.dataset.field) this.addValueButtons();
    this.heads = [...this.table.tHead.rows[0].cells];
    this.pageLength = this.body.rows.length;
    this.templates = [...this.body.rows[0].cells].map((cell) => cell.cloneNode(true));
    const data = section.querySelector("script");
    this.all = data
      ? JSON.parse(data.textContent).map((row) => row.map((cell) => (Array.isArray(cell) ? cell : [cell])))
      : [...this.body.rows].map((row) => [...row.cells].map(readCell));
    this.rows = this.all;
    this.first = 0;
    this.barColumn = this.templates.findIndex((cell) => cell.querySelector(".share"));
    this.longest = Math.max(1, ...this.all.map((row) => row[this.barColumn]?.[1] ?? 0));
    this.heads.forEach((head, column) => {
      if (!this.table.dataset.distinct) this.addSortButton(head, column);
      else head.title = `Only the first ${this.all.length} of ${this.table.dataset.distinct} are here: they are not sorted`;
    });
    if (data) {
      section.querySelector(".extent")?.remove();
      section.append(this.createControls());
    }
  }

  addValueButtons() {
    for (const { cells: [cell] } of this.body.rows) {
      cell.replaceChildren(create("button", { type: "button", className: "value" }, ...cell.childNodes));
    }
    this.body.addEventListener("click", ({ target }) => {
      const button = target.closest("button.value");
      if (button) showCommand(this.table.dataset.field, button.closest("td").title || button.textContent);
    });
  }

  addSortButton(head, column) {
    const button = create("button", { type: "button" }, ...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => this.sort(head, column));
  }

  // Numbers are sorted in descending order first, text in ascending order.
  sort(head, column) {
    const before = head.ariaSort;
    const ascending = before ? before === "descending" : !head.classList.contains("number");
    this.heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
    const sign = ascending ? 1 : -1;
    this.all.sort((one, other) => sign * compareCells(one[column], other[column]));
    this.search();
  }

  createControls() {
    const title = this.table.closest("section").querySelector("h3").firstChild.textContent.trim();
    this.field = create("input", { type: "search", placeholder: "Search", ariaLabel: `Search ${title}` });
    this.field.addEventListener("input", () => this.search());
    this.place = create("span", { className: "place" });
    this.place.setAttribute("role", "status");
    this.before = create("button", { type: "button", ariaLabel: `Previous rows of ${title}` }, "←");
    this.after = create("button", { type: "button", ariaLabel: `Next rows of ${title}` }, "→");
    this.before.addEventListener("click", () => this.show(this.first - this.pageLength));
    this.after.addEventListener("click", () => this.show(this.first + this.pageLength));
    const copy = create("button", { type: "button", ariaLabel: `Copy ${title} as CSV` }, "Copy as CSV");
    copy.addEventListener("click", () => this.copy());
    const controls = create("div", { className: "controls" }, this.field, this.before, this.place, this.after, copy);
    this.describe();
    return controls;
  }

  search() {
    const wanted = this.field?.value.toLowerCase() ?? "";
    const texts = (row) => row.flatMap(([text, , tooltip]) => [text ?? UNDEFINED, tooltip ?? ""]);
    this.rows = this.all.filter((row) => texts(row).some((text) => text.toLowerCase().includes(wanted)));
    this.show(0);
  }

  show(first) {
    this.first = first;
    this.body.replaceChildren(...this.rows.slice(first, first + this.pageLength).map((row) => this.createRow(row)));
    if (this.field) this.describe();
  }

  createRow(row) {
    const cells = row.map(([text, number, tooltip], column) => {
      const cell = this.templates[column].cloneNode(true);
      cell.removeAttribute("title");
      if (tooltip) cell.title = tooltip;
      if (typeof number === "number") cell.dataset.order = number;
      const bar = cell.querySelector(".share rect");
      if (bar) bar.setAttribute("width", `${(100 * number) / this.longest}%`);
      const place = cell.querySelector("code, span") ?? cell.querySelector("button") ?? cell;
      place.textContent = text ?? UNDEFINED;
      if (column === 0) cell.classList.toggle("quiet", text === null);
      return cell;
    });
    return create("tr", {}, ...cells);
  }

  describe() {
    const end = Math.min(this.first + this.pageLength, this.rows.length);
    const { distinct } = this.table.dataset;
    const isWhole = this.rows.length === this.all.length;
    const whole = `${this.rows.length.toLocaleString("en")}${isWhole && distinct ? ` of ${distinct}` : ""}`;
    this.place.textContent = end ? `${this.first + 1}–${end} of ${whole}` : "nothing found";
    this.before.disabled = this.first === 0;
    this.after.disabled = end === this.rows.length;
  }

  async copy() {
    const titles = this.heads.map((head) => head.textContent.trim());
    // The tooltip of a shortened text is longer; a share is the number of its lines.
    const value = ([text, number, tooltip], column) =>
      String(column === this.barColumn ? text : (number ?? (tooltip || text) ?? ""));
    const values = this.rows.map((row) => row.map(value));
    const lines = [titles, ...values].map((fields) => `${fields.map(quoteField).join(",")}\r\n`);
    await writeText(lines.join(""), this.place, `${this.rows.length.toLocaleString("en")} rows copied`);
  }
}

for (const section of document.querySelectorAll(".report-table")) new Table(section);

// The values of a bar stand below the chart while the pointer is over it, or while it is chosen by the arrow keys.
for (const figure of document.querySelectorAll("figure")) {
  const chart = figure.querySelector(".chart");
  const bars = [...figure.querySelectorAll("svg.bars > g")];
  const texts = bars.map((bar) => bar.querySelector("title").textContent.replace("\n", ": ").replaceAll("\n", ", "));
  bars.forEach((bar) => bar.querySelector("title").remove());
  const readout = create("output", { className: "readout" });
  figure.append(readout);
  let current = -1;
  const choose = (number) => {
    bars[current]?.classList.remove("current");
    bars[number]?.classList.add("current");
    readout.textContent = texts[number] ?? "";
    current = number;
  };
  chart.tabIndex = 0;
  chart.setAttribute("role", "group");
  chart.setAttribute("aria-label", `${figure.querySelector("figcaption").textContent}; arrow keys read the bars`);
  const pointed = ({ target }) => choose(bars.indexOf(target.closest("g")));
  chart.addEventListener("pointermove", pointed);
  chart.addEventListener("pointerdown", pointed);
  chart.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && choose(-1));
  chart.addEventListener("keydown", (event) => {
    const last = bars.length - 1;
    const numbers = {
      ArrowRight: Math.min(current + 1, last),
      ArrowLeft: current < 0 ? last : Math.max(current - 1, 0),
      Home: 0,
      End: last,
      Escape: -1,
    };
    if (event.key in numbers) {
      event.preventDefault();
      choose(numbers[event.key]);
    }
  });
}

// A link opens the section that it leads to, and the section that is read is marked among the links.
const links = [...document.querySelectorAll("nav a")];
const linkTo = new Map(links.map((link) => [document.querySelector(link.hash), link]));
const markLinks = (entries) => {
  for (const { target, isIntersecting } of entries) linkTo.get(target).toggleAttribute("aria-current", isIntersecting);
};
const observer = new IntersectionObserver(markLinks, { rootMargin: "-20% 0px -75% 0px" });
for (const [section, link] of linkTo) {
  observer.observe(section);
  link.addEventListener("click", () => (section.open = true));
}

// Paper shows all sections.
let closed = [];
addEventListener("beforeprint", () => {
  closed = [...document.querySelectorAll("details:not([open])")];
  closed.forEach((section) => (section.open = true));
});
addEventListener("afterprint", () => closed.forEach((section) => (section.open = false)));
