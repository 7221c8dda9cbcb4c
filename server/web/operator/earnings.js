// What was earned: all of it, today, in this round, and by whom and what.

import { amount, count, element, hash, percent, table, tokens } from './format.js';

const nothing = { tickets: 0, received: '0', jobs: 0, units: 0, produced: 0, billed: '0', won: 0, wonValue: '0', redeemed: '0',
  pending: '0', expired: '0', failed: '0', gas: '0', reward: '0', share: 0 };

// lines are the sums that are shown, with what each means.
const lines = [
  ['received', 'expected value of the tickets that gateways paid with', (r) => amount(r.received)],
  ['tickets', '', (r) => count(r.tickets)],
  ['work billed', 'what the finished work came to', (r) => amount(r.billed)],
  ['jobs', '', (r) => count(r.jobs)],
  ['won', 'face value of the tickets that won', (r) => both(amount(r.wonValue), `in ${count(r.won)}`)],
  ['redeemed', 'paid on the chain', (r) => amount(r.redeemed)],
  ['pending', 'won and on its way', (r) => amount(r.pending)],
  ['lost', 'expired or failed', (r) => lost(r)],
  ['gas', 'spent on redeeming', (r) => amount(r.gas)],
  ['reward', 'stake tokens of the rounds', (r) => tokens(r.reward)],
];

function both(a, text) {
  const span = element('span');
  span.append(a, element('span', ` ${text}`, 'quiet'));
  return span;
}

function lost(r) {
  const sum = (BigInt(r.expired) + BigInt(r.failed)).toString();
  const e = amount(sum);
  if (sum !== '0') e.className = 'bad';
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
  { head: 'pending', kind: 'number', cell: (r) => amount(r.pending) },
];

export const model = (r) => (r.model ? `${r.pipeline} · ${r.model}` : r.pipeline || '–');

export function showEarnings(sums, groups, all, days, rounds, gateways, models, workers, round) {
  const today = new Date().toISOString().slice(0, 10);
  const columns = [all.total, days.rows.find((r) => r.day === today) || nothing, rounds.rows.find((r) => r.round === round) || nothing];
  sums.replaceChildren(table('In all, today and in this round', [
    { head: 'what', kind: 'name', cell: ([name, about]) => { const e = element('span', name); if (about) e.title = about; return e; } },
    { head: 'in all', kind: 'number', cell: ([, , f]) => f(columns[0]) },
    { head: 'today (UTC)', kind: 'number', cell: ([, , f]) => f(columns[1]) },
    { head: round === undefined ? 'this round' : `round ${round}`, kind: 'number', cell: ([, , f]) => f(columns[2]) },
  ], lines, 'small'));
  groups.replaceChildren(
    table('By gateway', [{ head: 'gateway', kind: 'name', cell: (r) => hash(r.gateway) }, ...tickets, ...work], gateways.rows),
    table('By model', [{ head: 'work', kind: 'name', cell: model }, ...tickets, ...work], models.rows),
    table('By worker', [{ head: 'worker', kind: 'name', cell: (r) => r.worker || '–' }, { head: 'work', cell: model }, ...work],
      workers.rows.filter((r) => r.jobs > 0)));
}
