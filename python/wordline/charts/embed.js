(async () => {
  const packed = document.getElementById("vega").textContent;
  const bytes = Uint8Array.from(atob(packed), letter => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const code = document.createElement("script");
  // Its many names stay its own; it sets `window.vegaEmbed`.
  code.textContent = `(() => {${await new Response(stream).text()}})();`;
  document.head.append(code);

  const themes = JSON.parse(document.getElementById("themes").textContent);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  // A finger that drags wants to scroll the page.
  const coarse = matchMedia("(pointer: coarse)").matches;
  const NARROW = 430;
  const figures = [...document.querySelectorAll("figure.chart")];

  // Where a page's runs know the time of day.
  const clock = document.getElementById("clock");

  function specOf(figure) {
    const spec = JSON.parse(figure.querySelector("script").textContent);
    if (coarse) {
      for (const layer of spec.layer ?? [spec]) {
        layer.params = (layer.params ?? []).filter(param => param.name !== "zoomed");
      }
    }
    if (figure.clientWidth < NARROW) {
      // Names beside each other would be cut off.
      const narrow = part => {
        if (part && typeof part === "object") {
          if (part.legend?.columns) {
            part.legend.columns = 1;
            // Beside what is left of an axis and the swatch.
            part.legend.labelLimit = figure.clientWidth - 110;
          }
          Object.values(part).forEach(narrow);
        }
      };
      narrow(spec.encoding);
      (spec.layer ?? []).forEach(layer => narrow(layer.encoding));
    }
    if (clock?.checked && spec.usermeta?.clock) byClock(spec, spec.usermeta.clock);
    return spec;
  }

  function byClock(spec, own) {
    for (const { encoding } of [spec, ...spec.layer]) {
      if (encoding?.x) {
        encoding.x.title = own.title;
        Object.assign(encoding.x.axis, { labelExpr: own.label, values: own.values });
      }
      const tip = [encoding?.tooltip].flat().find(each => each?.field === "xt");
      if (tip) tip.title = "time of day (UTC)";
    }
    spec.transform.find(step => step.as === "xt").calculate = own.text;
  }

  async function draw(figure, theme) {
    const caption = figure.querySelector("figcaption");
    const name = (caption.querySelector("span") ?? caption).textContent.replace(/[^\w]+/g, "-");
    const actions = { export: true, source: false, compiled: false, editor: false };
    const options = {
      config: themes[theme], renderer: "svg", actions, downloadFileName: name, tooltip: { theme },
      // Errors only.
      logLevel: 1,
    };
    if (figure.view) figure.view.finalize();
    figure.view = await vegaEmbed(figure.querySelector(".vis"), specOf(figure), options);
    figure.dataset.drawn = theme;
  }

  async function drawAll(theme) {
    for (const figure of figures) {
      // What is folded up has no width to draw for.
      if (!figure.closest("details:not([open])")) await drawn(figure, theme);
    }
    document.body.dataset.drawn = theme;
  }

  async function drawn(figure, theme) {
    try {
      await draw(figure, theme);
    } catch (error) {
      console.error(error);
      figure.querySelector(".vis").textContent = String(error);
    }
  }

  clock?.addEventListener("change", async () => {
    const timed = figures.filter(figure => figure.querySelector("script").textContent.includes('"usermeta":'));
    for (const figure of timed) await drawn(figure, now());
    document.body.dataset.clock = clock.checked;
  });
  const now = () => (dark.matches ? "dark" : "light");
  for (const details of document.querySelectorAll("details:has(figure.chart)")) {
    details.addEventListener("toggle", async () => {
      const own = details.open ? [...details.querySelectorAll("figure.chart")] : [];
      for (const figure of own) {
        if (figure.dataset.drawn !== now()) await drawn(figure, now());
      }
    });
  }
  dark.addEventListener("change", () => drawAll(now()));
  addEventListener("beforeprint", () => drawAll("light"));
  addEventListener("afterprint", () => drawAll(now()));
  await drawAll(now());
})();
