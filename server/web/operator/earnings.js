// What was earned: all of it, today, in this round, and by gateway and kind of work.

import { amount, count, element, hash, percent, table, tokens } from './format.js';

// lines are the sums that are shown, with what each means.
const lines = [
  ['received', 'expected value of the tickets that gateways paid with', (r) => amount(r.received)],
  ['tickets', '', (r) => count(r.tickets)],
  ['work billed', 'what the finished work came to', (r) => amount(r.billed)],
  ['jobs', '', (r) => count(r.jobs)],
  ['won', 'face value of the tickets that won', (r) => both(amount(r.wonValue), `in ${count(r.won)}`)],
  ['redeemed', 'paid by final tickets', (r) => amount(r.redeemed)],
  ['waiting', 'face value of tickets that are won, queued or submitted', (r) => amount(r.waiting)],
  ['mined', 'paid in a block that may still be undone', (r) => amount(r.mined)],
  ['handed over', 'face value of tickets that another process redeems, not seen as paid yet', (r) => amount(r.handed)],
  ['paid short', 'face value that the gateways’ deposits and reserves did not cover', (r) => bad(r.short)],
  ['lost', 'expired or failed', (r) => lost(r)],
  ['gas', 'spent on redeeming', (r) => amount(r.gas)],
  ['reward', 'stake tokens of the rounds', (r) => (r.reward === null ? '–' : tokens(r.reward))],
];

function both(a, text) {
  const span = element('span');
  span.append(a, element('span', ` ${text}`, 'quiet'));
  return span;
}

function lost(r) {
  return bad((BigInt(r.expired) + BigInt(r.failed)).toString());
}

// bad is an amount that is red unless it is zero.
function bad(wei) {
  const e = amount(wei);
  if (wei !== '0') e.className = 'bad';
  return e;
}

function share(r) {
  const span = element('span');
  const bar = element('span', undefined, 'share'), fill = element('i');
  fill.style.width = `${100 * r.share}%`;
  bar.setAttribute('aria-hidden', 'true');
  bar.append(fill);
  span.append(bar, percent(r.share));
  return span;
}

const work = [
  { head: 'jobs', kind: 'number', cell: (r) => count(r.jobs) },
  { head: 'units', kind: 'number', cell: (r) => count(r.units) },
  { head: 'billed', kind: 'number', cell: (r) => amount(r.billed) },
  { head: 'share of the work', cell: share },
];
const tickets = [
  { head: 'tickets', kind: 'number', cell: (r) => count(r.tickets) },
  { head: 'received', kind: 'number', cell: (r) => amount(r.received) },
  { head: 'won', kind: 'number', cell: (r) => amount(r.wonValue) },
  { head: 'redeemed', kind: 'number', cell: (r) => amount(r.redeemed) },
  { head: 'waiting', kind: 'number', cell: (r) => amount(r.waiting) },
  { head: 'mined', kind: 'number', cell: (r) => amount(r.mined) },
  { head: 'handed over', kind: 'number', cell: (r) => amount(r.handed) },
  { head: 'paid short', kind: 'number', cell: (r) => bad(r.short) },
];

export const model = (r) => (r.model ? `${r.pipeline} · ${r.model}` : r.pipeline || '–');

// showEarnings takes one answer: its columns and tables are of the same moment.
export function showEarnings(sums, groups, seen) {
  sums.replaceChildren(table('In all, today and in this round', [
    { head: 'what', kind: 'name', cell: ([name, about]) => { const e = element('span', name);
      if (about) e.title = about; return e; } },
    { head: 'in all', kind: 'number', cell: ([, , f]) => f(seen.total) },
    { head: 'today (UTC)', kind: 'number', cell: ([, , f]) => f(seen.today) },
    { head: seen.round ? `round ${seen.round}` : 'this round', kind: 'number', cell: ([, , f]) => f(seen.thisRound) },
  ], lines, 'small'));
  groups.replaceChildren(
    table('By gateway', [{ head: 'gateway', kind: 'name', cell: (r) => hash(r.gateway) }, ...tickets, ...work],
      seen.gateways),
    table('By model', [{ head: 'work', kind: 'name', cell: model }, ...tickets, ...work], seen.models),
    table('By worker', [{ head: 'worker', kind: 'name', cell: (r) => r.worker || '–' }, { head: 'work', cell: model },
      ...work],
      seen.workers.filter((r) => r.jobs > 0)));
}
