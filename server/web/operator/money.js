// Earnings, tickets, prices and payments, from the API's own paths: they come from the
// books and change slowly, so they are read every few seconds and only while shown.

import { showEarnings } from './earnings.js';
import { showCredits, showFunds, showPayers, showSpending } from './gateways.js';
import { showLimits, showPrices } from './prices.js';
import { addSteps, showTickets } from './tickets.js';

const api = '/api/v1', patience = 15000, listed = 25;
const id = (name) => document.getElementById(name);
const before = {};   // what each part showed, to leave alone what did not change

class Refused extends Error {}

async function get(path) {
  const reply = await fetch(api + path, { signal: AbortSignal.timeout(patience), cache: 'no-store' });
  const answer = await reply.json();
  if (!reply.ok) throw new Refused(`${answer.error.code}: ${answer.error.message}`);
  return answer;
}

// part shows a section from its answer, or hides it where the node has none.
async function part(section, read, show, ...more) {
  let answer;
  try {
    answer = await read();
  } catch (err) {
    if (!(err instanceof Refused)) throw err;
    id(section).hidden = true;
    delete before[section];
    return err.message;
  }
  const now = JSON.stringify([answer, more]);
  if (before[section] !== now) {
    show(answer);
    before[section] = now;
  }
  id(section).hidden = false;
  return '';
}

export async function showMoney({ node, chain }) {
  const on = (role) => !node.offchain && node.roles.includes(role);
  const known = chain && chain.known ? { head: { l1: chain.l1 }, round: chain.round } : null;
  const pace = node.network.includes('mainnet') ? 12 : 0;   // seconds of a layer-1 block
  const parts = [];
  if (on('orchestrator')) {
    parts.push(
      part('earned', () => get('/income/overview'), (a) => showEarnings(id('sums'), id('groups'), a)),
      part('asked', () => get('/prices'), (a) => showPrices(id('prices'), a)),
      part('payers', () => get('/gateways'), (a) => showPayers(id('gateways'), a)));
  }
  if (on('orchestrator') || on('redeemer')) {
    parts.push(part('won', () => addSteps(get, `/tickets?limit=${listed}`),
      (a) => showTickets(id('tickets'), id('counts'), a, known, pace), known && known.round.number, known &&
      known.head.l1));
  }
  if (on('gateway')) {
    parts.push(
      part('purse', () => get('/sender'), (a) => showFunds(id('funds'), a, node.account)),
      part('limited', () => get('/price-limits'), (a) => showLimits(id('limits'), a)),
      part('paid', () => get('/spending'), (a) => showSpending(id('spending'), a)),
      part('ahead', () => get('/spending/credits'), (a) => showCredits(id('credits'), a)));
  }
  const missing = [...new Set(await Promise.all(parts))].filter(Boolean);
  id('money-note').hidden = !missing.length;
  id('money-note').textContent = `Not shown: ${missing.join('; ')}`;
}
