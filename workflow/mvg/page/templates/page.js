"use strict";
// Charts, sign tests, filters and the explorer of a run's page. Texts from data go in as text, never as HTML.

const element = (name, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

const unpack = async (script) => {
  const bytes = Uint8Array.from(atob(script.textContent.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
};

const menu = (label, options, changed) => {
  const select = element("select");
  options.forEach((text, number) => select.append(element("option", { value: number, textContent: text })));
  select.addEventListener("change", () => changed(Number(select.value)));
  return element("label", {}, `${label} `, select);
};

// Charts

// matplotlib's marker -> Chart.js's, its turn in degrees, and a letter that looks like it
const MARKS = {
  o: ["circle", 0, "●"], s: ["rect", 0, "■"], "^": ["triangle", 0, "▲"], D: ["rectRot", 0, "◆"], v: ["triangle", 180, "▼"], "<": ["triangle", 270, "◀"],
  ">": ["triangle", 90, "▶"], "*": ["star", 0, "✱"], x: ["crossRot", 0, "✕"], X: ["crossRot", 0, "✖"], "+": ["cross", 0, "＋"], P: ["cross", 0, "✚"],
  p: ["rectRounded", 0, "⬟"], h: ["rectRounded", 45, "⬢"],
};
const markOf = (series) => MARKS[series.marker] || MARKS.o;
const root = document.documentElement;
const dark = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => dark.matches && !root.classList.contains("printing"); // paper is white
const color = (name) => getComputedStyle(root).getPropertyValue(name).trim();
const drawn = new Map();

// A colour of the printed figures, moved towards the text's until it stands out from the ground of this page.
const channels = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
const luminance = (rgb) => {
  const [r, g, b] = rgb.map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
const ink = (hex) => {
  const ground = luminance(isDark() ? [20, 24, 31] : [255, 255, 255]);
  const [towards, enough] = isDark() ? [255, 4.5] : [0, 3];
  let rgb = channels(hex);
  for (let step = 0; step < 20 && contrast(luminance(rgb), ground) < enough; step += 1) rgb = rgb.map((value) => Math.round(value + (towards - value) * 0.1));
  return `#${rgb.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
};

// Chart.js leaves out ticks by their number, which on a logarithmic axis leaves labels on top of each other.
const spread = (axis) => {
  const least = (Math.log(axis.max / axis.min) * 60) / axis.maxWidth;
  let last = -Infinity;
  axis.ticks = axis.ticks.filter(({ value }) => Math.log(value) - last >= least && ((last = Math.log(value)), true));
};

const settings = (chart, panel) => {
  const grid = { color: color("--line") }, ticks = { color: color("--soft") };
  const title = (text) => ({ display: true, text, color: color("--text") });
  return {
    type: "scatter",
    data: {
      datasets: panel.series.map((series, number) => ({
        label: series.label,
        data: series.points,
        showLine: series.joined,
        borderColor: ink(series.color),
        backgroundColor: `${ink(series.color)}${series.marker ? "66" : ""}`,
        borderWidth: 1.6,
        borderDash: series.dash ? [5, 4] : [],
        pointStyle: markOf(series)[0],
        pointRotation: markOf(series)[1],
        pointRadius: series.marker ? 4 + (number % 3) * 1.5 : 0, // rings around each other where rows agree
        pointHitRadius: series.marker ? 8 : 0,
        pointHoverRadius: series.marker ? 8 : 0,
      })),
    },
    options: {
      animation: false,
      maintainAspectRatio: false,
      interaction: { mode: "point" },
      scales: {
        x: { type: chart.log ? "logarithmic" : "linear", title: title(chart.x), grid, afterBuildTicks: chart.log ? spread : undefined, ticks: { ...ticks, autoSkip: !chart.log, maxRotation: 0, autoSkipPadding: 18, callback: (value) => `${+value.toPrecision(3)}` } },
        y: { title: title(panel.y), grid, ticks },
      },
      plugins: {
        legend: { display: false }, // one of HTML for all panels: it wraps, and has room on a phone
        tooltip: {
          callbacks: {
            label: ({ dataset, raw }) => `${dataset.label}: ${raw.y.toFixed(1)} at ${+raw.x.toPrecision(3)}${raw.note ? ` (${raw.note})` : ""}`,
          },
        },
      },
    },
  };
};

const legend = (place, series) =>
  series.map((one, number) => {
    const mark = element("span", { textContent: one.marker ? markOf(one)[2] : "╌", ariaHidden: "true" });
    mark.style.color = ink(one.color);
    const button = element("button", { type: "button", ariaPressed: "true", title: "show or hide" }, mark, ` ${one.label}`);
    button.addEventListener("click", () => {
      const shown = button.ariaPressed !== "true";
      button.ariaPressed = String(shown);
      drawn.get(place).forEach((panel) => panel.setDatasetVisibility(number, shown) || panel.update());
    });
    return element("li", {}, button);
  });

const draw = (place, chart, facet) => {
  (drawn.get(place) || []).forEach((one) => one.destroy());
  const panels = chart.facets[facet].panels.map((panel) => {
    const series = panel.series.map((one) => one.label).join(", ");
    const canvas = element("canvas", { role: "img", ariaLabel: `${chart.facets[facet].label}: ${panel.y} against ${chart.x}; ${series}` });
    return [element("div", { className: "panel" }, canvas), canvas, panel];
  });
  place.querySelector(".panels").replaceChildren(...panels.map(([box]) => box));
  place.querySelector(".legend").replaceChildren(...legend(place, chart.facets[facet].panels[0].series));
  drawn.set(place, panels.map(([, canvas, panel]) => new Chart(canvas, settings(chart, panel))));
};

const charts = JSON.parse(document.getElementById("charts").textContent);
for (const place of document.querySelectorAll(".chart")) {
  const chart = charts[place.dataset.chart];
  if (!chart || !chart.facets.length) continue;
  let facet = 0;
  const pick = menu("Show", chart.facets.map((one) => one.label), (number) => draw(place, chart, (facet = number)));
  place.append(element("div", { className: "controls" }, pick), element("div", { className: "panels" }), element("ul", { className: "legend", ariaLabel: "Legend" }));
  // Drawn when it comes near: a page has a dozen charts.
  new IntersectionObserver((entries, observer) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    draw(place, chart, facet);
    dark.addEventListener("change", () => draw(place, chart, facet));
  }, { rootMargin: "400px" }).observe(place);
  for (const [event, printing] of [["beforeprint", true], ["afterprint", false]])
    addEventListener(event, () => {
      root.classList.toggle("printing", printing);
      draw(place, chart, facet);
    });
}

// Sign tests of two rows

const test = document.getElementById("test");
const ticked = [];
let signTests = null;

const showTest = async () => {
  document.querySelectorAll(".benchmark input").forEach((box) => (box.checked = ticked.includes(box.value)));
  test.hidden = ticked.length < 2;
  if (test.hidden) return;
  signTests ||= unpack(document.getElementById("packed-tests"));
  const [a, b] = ticked, rows = [];
  for (const [dataset, metrics, tests] of (await signTests).datasets) {
    const straight = tests[`${a} ${b}`], found = straight || tests[`${b} ${a}`] || [];
    found.forEach(([wins, losses, ties, p], number) => {
      const cells = [metrics[number], ...(straight ? [wins, losses] : [losses, wins]), ties, p === 0 ? "below 1e-300" : p];
      rows.push(element("tr", {}, element("th", { scope: "row", textContent: dataset }), ...cells.map((text) => element("td", { textContent: text }))));
    });
  }
  const label = (method) => document.querySelector(`.benchmark tr[data-method="${CSS.escape(method)}"] th`).textContent;
  const heads = ["Dataset", "Metric", "Wins", "Losses", "Ties", "p"].map((text) => element("th", { scope: "col", textContent: text }));
  test.replaceChildren(
    element("table", {}, element("caption", { textContent: `${label(a)} against ${label(b)}: queries on which the first wins, two-sided sign test` }),
      element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows)),
  );
};

for (const row of document.querySelectorAll(".benchmark tbody tr")) {
  const head = row.querySelector("th"), method = row.dataset.method;
  const box = element("input", { type: "checkbox", value: method, ariaLabel: `Compare ${head.textContent}` });
  box.addEventListener("change", () => {
    if (box.checked) ticked.push(method);
    else ticked.splice(ticked.indexOf(method), 1);
    if (ticked.length > 2) ticked.shift();
    showTest();
  });
  head.prepend(box);
  row.addEventListener("click", ({ target }) => target !== box && box.click());
}

// Verdicts

for (const radio of document.querySelectorAll("input[name=verdict]"))
  radio.addEventListener("change", () => {
    for (const row of document.querySelectorAll(".verdicts tbody tr")) row.hidden = radio.value && row.dataset.verdict !== radio.value;
  });

// The explorer

const LISTED = 200; // queries in the list: more are slow to lay out
const explore = document.getElementById("explore");
const packed = [...document.querySelectorAll(".packed-dataset")];

const ranking = (data, method, documents, relevant, matched) => {
  const list = element("ol");
  documents.forEach((row, rank) => {
    const [id, text] = data.documents[row], item = element("li");
    if (relevant.has(row)) {
      item.className = "relevant";
      item.append(element("span", { className: "tick", textContent: "✓ ", role: "img", ariaLabel: "relevant: " }));
    }
    item.append(element("bdi", { textContent: text || id, title: id }));
    const hit = data.hits[matched[`${method}:${rank}`]];
    if (hit) {
      const [said, queries] = hit;
      item.append(" ", element("details", { className: "view" },
        element("summary", { textContent: "◆", title: "found by a behavioural vector", ariaLabel: "found by a behavioural vector" }),
        element("div", { textContent: queries.length ? said : `${said} not shown` }),
        element("ul", {}, ...queries.map((query) => element("li", {}, element("bdi", { textContent: query }))))));
    }
    list.append(item);
  });
  const found = documents.filter((row) => relevant.has(row)).length;
  return element("section", {}, element("h3", { textContent: data.methods[method] }),
    element("p", { className: "note", textContent: `${found} of ${relevant.size} relevant in the first ${documents.length}` }), list);
};

const startExplorer = () => {
  const rankings = element("div", { className: "rankings" }), title = element("p", { role: "status" });
  const matches = element("select", { className: "matches", size: 6, ariaLabel: "Test queries" });
  const search = element("input", { type: "search", className: "explore-query", placeholder: "type to filter the test queries", ariaLabel: "Filter the test queries" });
  const any = element("button", { type: "button", textContent: "Any query" });
  const listed = element("p", { className: "note" });
  let data = null, found = [];
  const show = (number) => {
    const [text, relevant, lists, matched] = data.queries[number];
    title.replaceChildren("Query: ", element("strong", {}, element("bdi", { textContent: text })));
    rankings.replaceChildren(...lists.map((documents, method) => ranking(data, method, documents, new Set(relevant), matched)));
  };
  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/);
    found = [...data.queries.keys()].filter((number) => words.every((word) => data.queries[number][0].toLowerCase().includes(word)));
    matches.replaceChildren(...found.slice(0, LISTED).map((number) => element("option", { value: number, textContent: data.queries[number][0] })));
    listed.textContent = found.length > LISTED ? `The first ${LISTED} of ${found.length.toLocaleString("en")} queries: type more to see others.` : "";
    matches.hidden = any.disabled = !found.length;
    if (found.length) show(Number((matches.selectedIndex = 0, matches.value)));
    else title.replaceChildren("No test query has these words."), rankings.replaceChildren();
  };
  const load = async (number) => {
    data = await unpack(packed[number]);
    filter();
    explore.dataset.ready = number;
  };
  search.addEventListener("input", filter);
  matches.addEventListener("change", () => show(Number(matches.value)));
  any.addEventListener("click", () => {
    const number = found[Math.floor(Math.random() * found.length)];
    matches.value = number; // none is marked if it is not listed
    show(number);
  });
  explore.append(element("div", { className: "controls" }, menu("Dataset", packed.map((one) => one.dataset.label), load), search, any), matches, listed, title, rankings);
  load(0);
};

if (packed.length) startExplorer();
else explore.textContent = "This page shows no test queries: the settings of the explorer leave none, or they do not fit into the page.";
