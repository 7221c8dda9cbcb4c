// The last minutes in plots, drawn by uPlot. Each says in words what it shows.

import { element } from './format.js';

const height = 150;
const definitions = [
  { title: 'Sessions', unit: '', series: [['sessions', 'sessions'], ['in progress', 'inHand']] },
  { title: 'Time a segment takes', unit: ' ms', series: [['median', 'segmentMedian'],
    ['95th percentile', 'segmentHigh']], when: 'segments' },
  { title: 'Not done', unit: '', series: [['refused sessions', 'refused'], ['failed segments', 'failed'],
    ['failed AI jobs', 'jobsFailed']] },
  { title: 'AI answers begin after', unit: ' ms', series: [['median', 'firstMedian'], ['95th percentile', 'firstHigh'],
    ['wait for a slot', 'waitHigh']], when: 'jobs' },
];
const colors = ['accent', 'warn', 'bad'], marks = ['one', 'two', 'three'];

const made = new Map();   // definition → {plot, figure, legend}
const dark = matchMedia('(prefers-color-scheme: dark)');
const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const clock = (at) => new Date(at * 1000).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
const read = (v) => (v >= 10000 ? `${Math.round(v / 1000)}k` : v >= 100 ? String(Math.round(v)) :
  String(Math.round(v * 10) / 10));

function axis() {
  return { stroke: color('quiet'), grid: { stroke: color('line'), width: 1 }, ticks: { show: false },
    font: '11px system-ui, sans-serif' };
}

function draw(d, box, data) {
  const line = (name, i) => ({ label: name, stroke: color(colors[i]), width: 1.5, points: { show: false },
    spanGaps: false });
  return new window.uPlot({
    width: box.clientWidth, height,
    legend: { show: false }, cursor: { show: false },
    scales: { x: { time: true }, y: { range: (_, low, high) => [0, high > 0 ? high * 1.1 : 1] } },
    axes: [{ ...axis(), values: (_, ticks) => ticks.map(clock), incrs: [60, 120, 300, 600], size: 26, space: 70 },
      { ...axis(), values: (_, ticks) => ticks.map((v) => (Number.isInteger(v) || d.unit ? read(v) : '')), size: 42,
      space: 32 }],
    series: [{}, ...d.series.map(([name], i) => line(name, i))],
  }, data, box);
}

// values are what uPlot takes. Where nothing happened there is no time to show.
function values(d, points) {
  return [points.map((p) => p.at), ...d.series.map(([, key]) =>
    points.map((p) => (d.when && !p[d.when] ? null : p[key])))];
}

function figure(d, into) {
  const box = element('figure'), caption = element('figcaption'), canvas = element('div');
  const legend = d.series.map(([name], i) => {
    const span = element('span'), value = element('span');
    const mark = element('i', undefined, marks[i]);
    span.append(mark, `${name} `, value);
    return [span, value];
  });
  caption.append(element('strong', d.title), ...legend.map(([span]) => span));
  canvas.setAttribute('role', 'img');
  box.append(caption, canvas);
  into.append(box);
  const one = { box, canvas, legend, plot: null };
  // A view that is hidden has no width: its plots get theirs when it is shown.
  new ResizeObserver(() => { if (canvas.clientWidth) one.plot?.setSize({ width: canvas.clientWidth, height }); })
    .observe(canvas);
  return one;
}

function show(d, points) {
  const one = made.get(d);
  if (one.box.hidden) return;
  const data = values(d, points);
  const latest = data.slice(1).map((list) => list.findLast((v) => v !== null) ?? null);
  d.series.forEach(([, ], i) => {
    one.legend[i][1].textContent = latest[i] === null ? '–' : read(latest[i]) + d.unit;
  });
  one.canvas.setAttribute('aria-label',
    `${d.title}, now: ` + d.series.map(([name], i) =>
      `${name} ${latest[i] === null ? 'unknown' : read(latest[i]) + d.unit}`).join(', '));
  if (points.length < 2) {
    if (!one.plot) one.canvas.replaceChildren(element('p', 'The first points come within ten seconds.', 'nothing'));
    return;
  }
  if (one.plot) {
    one.plot.setData(data);
    return;
  }
  one.canvas.replaceChildren();
  one.plot = draw(d, one.canvas, data);
}

export function showPlots(points) {
  const into = document.getElementById('plots');
  for (const d of definitions) {
    if (!made.has(d)) made.set(d, figure(d, into));
    made.get(d).box.hidden = d.when === 'jobs' && !points.some((p) => p.jobs > 0);
  }
  for (const d of definitions) show(d, points);   // their places are known now
}

function again() {
  for (const one of made.values()) {
    if (one.plot) one.plot.destroy();
    one.plot = null;
  }
}

// keepPlots redraws them when their colors change.
export function keepPlots(points) {
  dark.addEventListener('change', () => { again(); showPlots(points()); });
}
