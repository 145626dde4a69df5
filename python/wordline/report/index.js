(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const beside = document.getElementById("beside");
  const add = (parent, name, text, kind) => {
    const made = parent.appendChild(document.createElement(name));
    if (text !== undefined) made.textContent = text;
    if (kind) made.className = kind;
    return made;
  };

  const before = (one, other) => {
    const [a, b] = [one, other].map(cell => (cell.dataset.v === undefined ? null : Number(cell.dataset.v)));
    if (a === null && b === null) return one.textContent.localeCompare(other.textContent, "en", { numeric: true });
    return a === null ? 1 : b === null ? -1 : a - b;
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.tHead.rows[0].cells];
    for (const head of heads.filter(cell => cell.querySelector("button"))) {
      head.querySelector("button").onclick = () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        heads.forEach(cell => cell.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const cell = row => row.cells[head.cellIndex];
        const known = row => cell(row).dataset.v !== undefined || !cell(row).classList.contains("n");
        const rows = [...table.tBodies[0].rows];
        const sorted = rows.filter(known).sort((a, b) => (down ? -1 : 1) * before(cell(a), cell(b)));
        // What has no value stays at the end, whichever way.
        table.tBodies[0].append(...sorted, ...rows.filter(row => !known(row)));
      };
    }
  }
  if (!beside) return;

  const table = (parent, headers) => {
    const made = add(add(parent, "div", undefined, "scroll"), "table");
    const head = add(add(made, "thead"), "tr");
    headers.forEach((name, place) => add(head, "th", name, place && headers.length > 3 ? "n" : ""));
    return add(made, "tbody");
  };
  const student = degrees => {
    const at = (data.t.length - 1) / Math.max(degrees, 1);
    const low = Math.floor(at);
    return low + 1 < data.t.length ? data.t[low] + (at - low) * (data.t[low + 1] - data.t[low]) : data.t[low];
  };
  // Welch's test, as where runs are compared elsewhere.
  const same = ([a, , oneError, oneDegrees], [b, , otherError, otherDegrees]) => {
    if (oneError === null || otherError === null) return null;
    const [one, other] = [oneError ** 2, otherError ** 2];
    if (one + other === 0) return a === b;
    const degrees = (one + other) ** 2 / (one ** 2 / oneDegrees + other ** 2 / otherDegrees);
    return Math.abs(a - b) <= student(degrees) * Math.sqrt(one + other);
  };
  const signed = value => {
    const text = Math.abs(value).toFixed(1);
    return Number(text) === 0 ? "0" : (value < 0 ? "−" : "+") + text;
  };
  const change = (one, other) => {
    if (!one || !other || !one[0] || one[1] === "unsure" || other[1] === "unsure") return "–";
    const alike = same(one, other);
    const mark = alike ? "≈ " : alike === null && one[0] !== other[0] ? "? " : "";
    return mark + signed((other[0] / one[0] - 1) * 100) + "%";
  };
  const microseconds = ns => (ns / 1000).toLocaleString("en", { maximumFractionDigits: 1 });

  const keys = pair => {
    const names = Object.keys({ ...pair[0].keys, ...pair[1].keys });
    const rows = [["seed", ...pair.map(run => run.seed)], ...names.map(key => [key, ...pair.map(run => run.keys[key] ?? "")])];
    const differing = rows.filter(([, one, other]) => one !== other);
    if (!differing.length) return void add(beside, "p", "The same configuration and seeds.", "dim");
    const body = table(beside, ["what differs", "A", "B"]);
    for (const row of differing) {
      const line = add(body, "tr");
      for (const text of row) add(line, "td", text);
    }
  };
  const figures = (place, pair) => {
    const body = table(place, ["", "A", "B", "B against A"]);
    for (const [metric, name] of Object.entries(data.figures)) {
      const found = pair.map(run => run.figures[metric]);
      if (!found[0] && !found[1]) continue;
      const line = add(body, "tr");
      add(line, "td", name);
      for (const value of found) add(line, "td", value ? value[1] : "–", "n");
      add(line, "td", change(...found), "n").dataset.metric = metric;
    }
    add(place, "p", data.legend, "dim");
  };
  const waits = (place, pair, kind, several) => {
    const told = pair.map(run => run.blame[kind] ?? {});
    const names = Object.keys(data.parts).filter(part => told.some(parts => parts[part]));
    if (!names.length) return;
    const most = part => Math.max(...told.map(parts => parts[part] ?? 0));
    const whole = Math.max(...told.map(parts => Object.values(parts).reduce((sum, value) => sum + value, 0)));
    add(place, "h3", `${several}: where the mean time went, µs`);
    const body = table(place, ["", "A", "B", "B less A"]);
    for (const part of names.sort((a, b) => most(b) - most(a))) {
      const line = add(body, "tr");
      add(line, "td", data.parts[part]);
      for (const parts of told) {
        const value = parts[part] ?? 0;
        add(line, "td", microseconds(value), "n part").style.setProperty("--share", `${(100 * value) / whole}%`);
      }
      add(line, "td", signed(((told[1][part] ?? 0) - (told[0][part] ?? 0)) / 1000), "n");
    }
  };

  const chosen = [0, 1];
  const show = () => {
    beside.replaceChildren();
    const pair = chosen.map(place => data.runs[place]);
    pair.forEach((run, place) => add(beside, "p", `${"AB"[place]}: ${run.name}`, "lead"));
    for (const run of pair) if (run.died) add(beside, "p", `${run.name}: its drive died ${run.died}`, "bad");
    keys(pair);
    const columns = add(beside, "div", undefined, "pair");
    const [left, right] = [add(columns, "div"), add(columns, "div")];
    figures(left, pair);
    for (const [kind, several] of Object.entries(data.kinds)) waits(right, pair, kind, several);
  };
  const runs = document.querySelector("#runs table");
  runs.tHead.rows[0].prepend(document.createElement("th"));
  [...runs.tBodies[0].rows].forEach((row, place) => {
    const cell = document.createElement("td");
    for (const side of [0, 1]) {
      const label = add(cell, "label");
      const button = add(label, "input");
      Object.assign(button, { type: "radio", name: "AB"[side], checked: chosen[side] === place });
      button.setAttribute("aria-label", `${data.runs[place].name} as ${"AB"[side]}`);
      button.onchange = () => { chosen[side] = place; show(); };
      label.append(` ${"AB"[side]}`);
    }
    row.prepend(cell);
  });
  show();
})();
