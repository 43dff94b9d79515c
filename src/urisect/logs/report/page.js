
// Sort a table by a click on a column title: numbers in descending order first, text in ascending order first.
for (const table of document.querySelectorAll("table")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    const key = (row) => row.cells[column].dataset.order ?? row.cells[column].textContent;
    const compare = head.classList.contains("number")
      ? (one, other) => key(one) - key(other)
      : (one, other) => key(one).localeCompare(key(other));
    button.addEventListener("click", () => {
      const before = head.ariaSort;
      const ascending = before ? before === "descending" : !head.classList.contains("number");
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
      const [body] = table.tBodies;
      body.append(...[...body.rows].sort((one, other) => (ascending ? 1 : -1) * compare(one, other)));
    });
  });
}
