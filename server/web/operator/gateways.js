// Gateways' money: of those that pay this orchestrator, and this gateway's own.

import { amount, count, element, fact, hash, table } from './format.js';
import { model } from './earnings.js';

function account(a) {
  const span = element('span');
  span.append(hash(a.key, a.key.length > 28 ? `${a.key.slice(0, 24)}…` : a.key), ': ', amount(a.balance));
  if (a.inHand !== '0') span.append(element('span', ', of it ', 'quiet'), amount(a.inHand),
    element('span', ' reserved for work in progress', 'quiet'));
  return span;
}

function accounts(payer) {
  const shown = payer.accounts.slice(0, 6);
  const div = element('div');
  for (const a of shown) {
    const line = element('div');
    line.append(account(a));
    div.append(line);
  }
  if (payer.accounts.length > shown.length) div.append(element('div',
    `and ${count(payer.accounts.length - shown.length)} more`, 'quiet'));
  return div;
}

export function showPayers(into, answer) {
  if (!answer.gateways.length) {
    into.replaceChildren(element('p', 'No gateway has an open account here.', 'quiet'));
    return;
  }
  into.replaceChildren(table('Funds at the ticket broker, and balances paid ahead of the work', [
    { head: 'gateway', kind: 'name', cell: (g) => hash(g.gateway) },
    { head: 'deposit', kind: 'number', cell: (g) => amount(g.deposit) },
    { head: 'reserve', kind: 'number', cell: (g) => amount(g.reserve) },
    { head: 'carries per ticket', kind: 'number', cell: (g) => amount(g.maxFloat) },
    { head: 'waiting to be redeemed', kind: 'number', cell: (g) => amount(g.waiting) },
    { head: 'balances', kind: 'words', cell: accounts },
  ], answer.gateways));
}

const states = {
  empty: 'empty: nothing can be paid', locked: 'ready to pay', unlocking: 'on its way out: tickets are refused soon',
    unlocked: 'unlocked: it can be withdrawn',
};

export function showFunds(into, sender, address) {
  const state = element('span', states[sender.status] || sender.status, sender.status === 'locked' ? 'good' : 'bad');
  into.replaceChildren(
    ...(address ? [fact('account', hash(address))] : []),
    fact('deposit', amount(sender.deposit)),
    fact('reserve', amount(sender.reserve.fundsRemaining)),
    fact('claimed of the reserve in this round', amount(sender.reserve.claimedInCurrentRound)),
    fact('state', state),
    ...(sender.withdrawRound && sender.status !== 'locked' ?
      [fact('withdrawable from round', count(sender.withdrawRound))] : []),
  );
}

// newest days first, and within a day as the node has them.
export function showSpending(into, answer) {
  if (!answer.rows.length) {
    into.replaceChildren(element('p', 'Nothing was paid yet.', 'quiet'));
    return;
  }
  const rows = [...answer.rows].sort((a, b) => (a.day < b.day ? 1 : a.day > b.day ? -1 : 0)).slice(0, 100);
  const sum = element('dl', undefined, 'facts');
  sum.append(fact('paid in tickets, expected value', amount(answer.value)),
    fact('of it for no work: refused, failed, unknown or on its way', amount(answer.open)),
    fact('for work of', amount(answer.billed)),
    fact('cost of jobs: work, and what was lost with jobs that failed', amount(answer.cost)),
    fact('of it spent by API keys', amount(answer.charged)));
  if (answer.balance) sum.append(fact('balance at orchestrators, for further jobs', amount(answer.balance)));
  sum.append(fact('balances written off: idle, short, or left when the node stopped', amount(answer.writtenOff)),
    fact('unsettled: jobs in progress, and what was lost when the node was killed', amount(answer.unsettled)));
  into.replaceChildren(sum, table('By day, orchestrator and work', [
    { head: 'day (UTC)', kind: 'name', cell: (r) => r.day },
    { head: 'orchestrator', cell: (r) => hash(r.recipient) },
    { head: 'work', cell: model },
    { head: 'payments', kind: 'number', cell: (r) => count(r.payments) },
    { head: 'tickets', kind: 'number', cell: (r) => count(r.tickets) },
    { head: 'paid', kind: 'number', cell: (r) => amount(r.value) },
    { head: 'of it no work', kind: 'number', cell: (r) => amount(r.open) },
    { head: 'units', kind: 'number', cell: (r) => count(r.units) },
    { head: 'billed', kind: 'number', cell: (r) => amount(r.billed) },
    { head: 'cost', kind: 'number', cell: (r) => amount(r.cost) },
  ], rows));
}

// what orchestrators hold without having worked for it, the largest first.
export function showCredits(into, answer) {
  if (!answer.credits.length) {
    into.replaceChildren(element('p', 'No orchestrator was paid recently.', 'quiet'));
    return;
  }
  into.replaceChildren(table('By orchestrator, expected value of tickets', [
    { head: 'orchestrator', kind: 'name', cell: (c) => (c.orchestrator.startsWith('0x') ? hash(c.orchestrator) :
      c.orchestrator) },
    { head: 'no work', kind: 'number', cell: (c) => amount(c.unworked) },
    { head: 'in progress', kind: 'number', cell: (c) => amount(c.inProgress) },
    { head: 'at most', kind: 'number', cell: (c) => amount(c.bound) },
    { head: 'balance for further jobs', kind: 'number', cell: (c) => amount(c.balance) },
    { head: 'state', cell: (c) => element('span', c.stopped ? 'stopped: it is paid nothing more' : 'paid', c.stopped ?
      'bad' : 'good') },
  ], answer.credits.slice(0, 100)));
}
