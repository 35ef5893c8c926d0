/* SPDX-License-Identifier: Apache-2.0 */
/* Tables are sorted by their headings, and filtered by what is typed above them. */
document.querySelectorAll("table").forEach(function (table) {
  const body = table.tBodies[0];
  table.querySelectorAll("th").forEach(function (head, column) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.textContent = "";
    head.appendChild(button);
    button.addEventListener("click", function () {
      const down = head.getAttribute("aria-sort") === "ascending";
      table.querySelectorAll("th").forEach(function (other) { other.removeAttribute("aria-sort"); });
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = Array.from(body.rows);
      const key = function (row) { return row.cells[column].textContent; };
      rows.sort(function (a, b) { return key(a).localeCompare(key(b), undefined, {numeric: true}) * (down ? -1 : 1); });
      body.append(...rows);
    });
  });
  if (body.rows.length < 2) return;
  const label = document.createElement("label");
  const input = document.createElement("input");
  const count = document.createElement("span");
  label.textContent = "Filter: ";
  input.type = "search";
  count.setAttribute("role", "status");
  label.append(input, " ", count);
  table.parentNode.before(label);
  input.addEventListener("input", function () {
    const wanted = input.value.toLowerCase();
    let shown = 0;
    Array.from(body.rows).forEach(function (row) {
      row.hidden = !row.textContent.toLowerCase().includes(wanted);
      if (!row.hidden) shown += 1;
    });
    count.textContent = wanted ? shown + " of " + body.rows.length : "";
  });
});
