// The end of the log, by level and text.

import { element } from './format.js';

const id = (name) => document.getElementById(name);
const kept = 500;
const ranks = { debug: 0, info: 1, warning: 2, error: 3 };
let lines = [], shown = 0;

function fits(line) {
  const find = id('find').value.trim().toLowerCase();
  return (ranks[line.level] ?? 1) >= ranks[id('level').value] &&
    (!find || `${line.text} ${line.source}`.toLowerCase().includes(find));
}

function row(line) {
  const p = element('p', undefined, line.level);
  const t = element('time', new Date(line.time).toLocaleTimeString());
  t.dateTime = line.time;
  p.append(t, line.level === 'info' ? ' ' : ` ${line.level} `, line.text, line.source ? ` (${line.source})` : '');
  return p;
}

function end() {
  const box = id('lines');
  if (id('follow').checked) box.scrollTop = box.scrollHeight;
}

// showLog draws what is new, or everything if all must be redrawn.
export function showLog(anew) {
  const box = id('lines');
  if (anew) {
    box.replaceChildren();
    shown = 0;
  }
  const fresh = lines.filter((l) => l.seq > shown && fits(l));
  box.append(...fresh.map(row));
  while (box.childElementCount > kept) box.firstElementChild.remove();
  if (lines.length) shown = lines.at(-1).seq;
  if (fresh.length) end();
}

export function setLines(all) { lines = all; shown = Infinity; }
export function addLines(more) { lines = [...lines, ...more].slice(-kept); }

export function keepLog() {
  for (const name of ['level', 'find']) id(name).addEventListener('input', () => showLog(true));
  id('follow').addEventListener('change', end);
}
