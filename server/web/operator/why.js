// Why few or no jobs come: what `tutti_cli explain` says, the weightiest reason first.

import { element, redraw, time } from './format.js';

const patience = 30000;
const id = (name) => document.getElementById(name);
const looks = { blocker: 'critical', likely: 'warning', hint: 'info' };
const words = { blocker: 'keeps every job away', likely: 'likely', hint: 'worth a look' };

function finding(f) {
  const box = element('article', undefined, `trouble ${looks[f.weight] || 'info'}`);
  const title = element('h3', f.says), weight = element('small');
  weight.append(element('span', words[f.weight] || f.weight, 'severity'), f.code ? ` · ${f.code}` : '');
  title.append(weight);
  box.append(title, ...f.evidence.map((e) => element('p', e, 'quiet')));
  if (f.remedy) {
    const remedy = element('p', undefined, 'remedy');
    remedy.append(element('b', 'What to do: '), f.remedy.replaceAll('`', ''));
    box.append(remedy);
  }
  return box;
}

export async function showWhy() {
  const reply = await fetch('/api/v1/explain', { signal: AbortSignal.timeout(patience), cache: 'no-store' });
  const answer = await reply.json();
  if (!reply.ok) {
    redraw(id('findings'), [element('p', `${answer.error.code}: ${answer.error.message}`, 'quiet')]);
    return;
  }
  id('why-summary').textContent = answer.summary;
  id('why-since').textContent = `Requests of gateways are counted since ${time(answer.since)}.`;
  redraw(id('findings'), answer.findings.length ? answer.findings.map(finding) :
    [element('p', 'Nothing keeps jobs away.', 'fine')]);
}
