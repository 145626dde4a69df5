(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const place = id => document.getElementById(id);
  const add = (parent, name, text, kind) => {
    const made = parent.appendChild(document.createElement(name));
    if (text !== undefined) made.textContent = text;
    if (kind) made.className = kind;
    return made;
  };
  const unique = values => [...new Set(values)];
  const microseconds = ns => (ns / 1000).toLocaleString("en", { maximumFractionDigits: 1 }) + " µs";
  const written = (figure, value) => (figure.endsWith("_ns") ? microseconds(value) : value.toLocaleString("en", { maximumFractionDigits: 2 }));
  for (const name of Object.keys(data.drives)) add(place("drive"), "option", name).value = name;
  for (const [key, name] of Object.entries(data.figures)) add(place("figure"), "option", name).value = key;

  // Blue for less, red for more; half of it, or as much more, has the full color.
  const tone = change => {
    const strength = Math.min(Math.abs(change) / 0.5, 1) * 0.6;
    return change < 0 ? `rgba(33, 102, 172, ${strength})` : `rgba(178, 24, 43, ${strength})`;
  };

  let sorted = null;

  const why = (rows, base, scheme, workload) => {
    const target = place("why");
    target.replaceChildren();
    const row = rows.find(row => row.scheme === scheme && row.workload === workload);
    const other = rows.find(row => row.scheme === base && row.workload === workload);
    if (!row || !other || row.read_mean_ns === null) return;
    add(target, "h3", `${workload}: a mean read under ${scheme} and under ${base}`);
    const table = add(target, "table");
    const head = add(add(table, "thead"), "tr");
    for (const name of ["waits for", scheme, base, "difference"]) add(head, "th", name);
    const body = add(table, "tbody");
    const parts = Object.entries({ ...data.waits, flash_and_link_ns: "its own flash operation and transfers" });
    const line = (name, ours, theirs) => {
      const made = add(body, "tr");
      add(made, "td", name);
      for (const value of [ours, theirs, ours - theirs]) add(made, "td", microseconds(value), "n");
    };
    const sums = [row, other].map(one => parts.reduce((sum, [key]) => sum + (one[key] || 0), 0));
    for (const [key, name] of parts) line(name, row[key] || 0, other[key] || 0);
    line("all else (buffers, processors, gates)", row.read_mean_ns - sums[0], other.read_mean_ns - sums[1]);
    line("in all", row.read_mean_ns, other.read_mean_ns);
  };

  const show = () => {
    const rows = data.drives[place("drive").value];
    const figure = place("figure").value;
    const workloads = unique(rows.map(row => row.workload));
    let schemes = unique(rows.map(row => row.scheme));
    const base = schemes[0];
    const at = new Map(rows.map(row => [`${row.scheme}\n${row.workload}`, row]));
    const change = (scheme, workload) => {
      const [ours, theirs] = [scheme, base].map(name => at.get(`${name}\n${workload}`)?.[figure] ?? null);
      return ours === null || !theirs ? null : ours / theirs - 1;
    };
    if (workloads.includes(sorted)) schemes = schemes.toSorted((a, b) => (change(a, sorted) ?? 9) - (change(b, sorted) ?? 9));
    place("table").replaceChildren();
    const table = add(place("table"), "table");
    const head = add(add(table, "thead"), "tr");
    add(head, "th", "scheme");
    for (const workload of workloads) {
      const cell = add(head, "th", workload + (workload === sorted ? " ▾" : ""));
      cell.title = "sort";
      cell.onclick = () => { sorted = sorted === workload ? null : workload; show(); };
    }
    const body = add(table, "tbody");
    for (const scheme of schemes) {
      const line = add(body, "tr");
      add(line, "td", scheme);
      for (const workload of workloads) {
        const found = change(scheme, workload);
        const cell = add(line, "td", found === null ? "" : `${(found * 100).toFixed(1)}%`, "n");
        if (found === null) continue;
        cell.style.background = tone(found);
        cell.title = written(figure, at.get(`${scheme}\n${workload}`)[figure]);
        cell.onclick = () => {
          for (const old of body.querySelectorAll(".chosen")) old.classList.remove("chosen");
          cell.classList.add("chosen");
          why(rows, base, scheme, workload);
        };
      }
    }
    place("why").replaceChildren();
  };
  place("drive").onchange = place("figure").onchange = show;
  show();
})();
