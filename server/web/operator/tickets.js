// Each winning ticket's life: its steps, what it is worth, what it waits for.

import { amount, below, count, element, hash, short, table, time } from './format.js';

const steps = ['won', 'queued', 'submitted', 'mined', 'final'];
const ends = ['failed', 'expired', 'handed'];

// Why a ticket waits or was lost, by the code that its reason begins with.
const reasons = {
  RedeemTooDear: 'gas costs more than it brings at the moment; it waits for a better price',
  RedeemUnfunded: 'the gateway has not enough deposit and reserve for it now',
  PayoutUnknown: 'it was redeemed, and no endpoint says by which transaction',
  TicketExpired: 'its last round is over',
  GasPriceAboveMax: 'gas is dearer than -maxGasPrice allows',
  TicketUsed: 'it was redeemed before',
};

const told = new Map();   // the states that ended tickets had, by hash and end

// addSteps reads the tickets, and for each that ended badly the states it really had,
// which are asked for once.
export async function addSteps(get, path) {
  const answer = await get(path);
  const keep = new Set();
  await Promise.all(answer.tickets.filter((t) => ends.includes(t.state)).map(async (t) => {
    const key = `${t.hash} ${t.since}`;
    keep.add(key);
    if (!told.has(key)) told.set(key, (await get(`/tickets/${t.hash}`)).steps.map((s) => s.state));
    t.had = told.get(key);
  }));
  for (const key of told.keys()) if (!keep.has(key)) told.delete(key);
  return answer;
}

// path is the states to show: those it had where it ended badly, else all there are.
function path(ticket) {
  if (!ends.includes(ticket.state)) return steps;
  const had = (ticket.had || ['won']).filter((s) => steps.includes(s));
  return [...steps.filter((s) => had.includes(s)), ticket.state];
}

function life(ticket) {
  const list = element('ol', undefined, 'steps');
  const shown = path(ticket), at = shown.indexOf(ticket.state);
  shown.forEach((name, i) => {
    let cls = i < at ? 'done' : '';
    if (i === at) cls = ticket.state === 'final' ? 'done now' : ticket.state === 'failed' ||
      ticket.state === 'expired' ? 'end' : 'now';
    if (i === at && name === 'queued' && ticket.reason) cls += ' waits';
    const li = element('li', name, cls);
    if (i === at) li.setAttribute('aria-current', 'step');
    list.append(li);
  });
  return list;
}

function blocks(n, pace) {
  const about = pace && n > 4 ? `, about ${Math.max(1, Math.round(n * pace / 60))} min` : '';
  return `${count(n)} block${n === 1 ? '' : 's'}${about}`;
}

// words say what happens next, or why nothing does.
function words(ticket, chain, pace) {
  const code = ticket.reason.split(/[:\s]/)[0];
  const reason = reasons[code] ? `${reasons[code]} (${code})` : ticket.reason;
  const l1 = chain ? chain.head.l1 : 0;
  const until = chain && ticket.lastRound <= chain.round.number
    ? `this round is its last: ${blocks(Math.max(0, chain.round.end - l1), pace)} left` :
      `redeemable until round ${ticket.lastRound} ends`;
  const wait = ticket.redeemFrom - l1;
  switch (ticket.state) {
    case 'won':
    case 'queued':
      if (chain && wait > 0) return `may be redeemed in ${blocks(wait, pace)}, ` +
        `from layer-1 block ${count(ticket.redeemFrom)}: redeeming tells its secret`;
      return reason ? `waits: ${reason}; ${until}` : `about to be redeemed; ${until}`;
    case 'submitted': return `transaction sent at ${time(ticket.since)}` +
      `${ticket.attempts > 1 ? `, attempt ${ticket.attempts}` : ''}; ${until}`;
    case 'mined': return 'paid; waits until its block cannot be undone any more';
    case 'final': return `paid at ${time(ticket.since)}${reason ? `: ${reason}` : ''}`;
    case 'expired': return `lost: ${reason || 'it was not redeemed in time'}`;
    case 'failed': return `failed: ${reason}; tutti_cli tickets retry takes it up again`;
    case 'handed': return `handed to the redeemer of another process, not seen as paid yet; ${until}`;
  }
  return reason;
}

function brought(ticket) {
  if (ticket.paid === '0' && ticket.gasFee === '0') return '';
  const gas = amount(ticket.gasFee);
  gas.append(' gas');
  return below(amount(ticket.paid), gas);
}

function name(account) {
  const found = account.match(/^\d+_(.+)$/);
  return found ? found[1] : hash(account, account.length > 14 ? short(account) : account);
}

export function showTickets(into, counts, answer, chain, pace) {
  const known = [...steps, ...ends].filter((s) => answer.counts[s]);
  counts.replaceChildren(...known.map((s) => element('span', `${count(answer.counts[s])} ${s}`,
    `chip ${s === 'final' ? 'good' : ''}${s === 'failed' || s === 'expired' ? 'bad' : ''}`)));
  if (!answer.tickets.length) {
    into.replaceChildren(element('p',
      'No ticket has won yet. Most do not: a ticket stands for a small chance of a large amount.', 'quiet'));
    return;
  }
  into.replaceChildren(table(`The last ${answer.tickets.length}`, [
    { head: 'ticket', kind: 'name', cell: (t) => below(hash(t.hash), `won ${time(t.won)}`) },
    { head: 'gateway, for', cell: (t) => below(hash(t.gateway), name(t.account)) },
    { head: 'face value', kind: 'number', cell: (t) => below(amount(t.faceValue),
      `1 in ${count(Math.round(t.chance))}`) },
    { head: 'life', kind: 'whole', cell: life },
    { head: 'what next', kind: 'words', cell: (t) => words(t, chain, pace) },
    { head: 'brought', kind: 'number', cell: brought },
  ], answer.tickets));
}
