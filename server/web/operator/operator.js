// The operator's page: looks at the admin API every two seconds and shows what
// changed. It never sends anything but GET. While the node does not answer, what was
// seen last stays, greyed.

import { element, hash, time } from './format.js';
import { showEarnings } from './earnings.js';
import { showFunds, showPayers, showSpending } from './gateways.js';
import { showLimits, showPrices } from './prices.js';
import { addSteps, showTickets } from './tickets.js';

const api = '/api/v1';
const every = 2000, patience = 15000, listed = 25;
const id = (name) => document.getElementById(name);
const main = document.querySelector('main');

let seen = null;      // when the node answered last
let version = '';     // of the node that served this page
const before = {};    // what each part showed, to leave alone what did not change

class Refused extends Error {}

async function get(path) {
  const reply = await fetch(api + path, { signal: AbortSignal.timeout(patience), cache: 'no-store' });
  const answer = await reply.json();
  if (!reply.ok) throw new Refused(`${answer.error.code}: ${answer.error.message}`);
  return answer;
}

// part shows a section from its answers, each of a path or of a function, or hides it where the node has none.
async function part(section, paths, show, ...more) {
  const box = id(section);
  let answers;
  try {
    answers = await Promise.all(paths.map((p) => (typeof p === 'string' ? get(p) : p())));
  } catch (err) {
    if (!(err instanceof Refused)) throw err;
    box.hidden = true;
    delete before[section];
    return err.message;
  }
  const now = JSON.stringify([answers, more]);
  if (before[section] !== now) {
    show(...answers);
    before[section] = now;
  }
  box.hidden = false;
  return '';
}

function showConditions({ conditions }) {
  id('troubles-title').textContent = conditions.length ? 'What is wrong' : 'Nothing is wrong';
  id('conditions').replaceChildren(...conditions.map((c) => {
    const name = c.about ? `${c.code} ${c.about}` : c.code;
    if (c.hiddenBy) return element('p', `${name} follows from ${c.hiddenBy}`, 'follows');
    const div = element('div', undefined, 'trouble');
    const title = element('p');
    title.append(element('strong', name), ` since ${time(c.since)}${c.detail ? `: ${c.detail}` : ''}`);
    div.append(title, element('p', c.cause, 'quiet'), element('p', `Remedy: ${c.remedy.replaceAll('`', '')}`));
    return div;
  }));
}

function showNode(node, chain) {
  if (version && node.version !== version) location.reload();
  version = node.version;
  const who = id('who');
  who.replaceChildren(element('strong', node.roles.join(', ')), ` · ${node.offchain ? 'off-chain' : node.network}`);
  if (node.orchestrator && node.roles.includes('orchestrator')) who.append(' · ', hash(node.orchestrator));
  else if (node.account) who.append(' · ', hash(node.account));
  const stale = chain && chain.stale ? ' · the chain is silent' : '';
  id('state').textContent = `tutti ${node.version}, up since ${time(node.started)}${stale}`;
}

async function look() {
  const node = await get('/node');
  const on = (role) => !node.offchain && node.roles.includes(role);
  const chain = node.offchain ? null : await get('/chain').catch((err) => { if (err instanceof Refused) return null; throw err; });
  const known = chain && chain.known ? chain : null;
  const round = known ? known.round.number : undefined;
  const pace = node.network.includes('mainnet') ? 12 : 0;   // seconds of a layer-1 block
  showNode(node, known);
  const parts = [part('troubles', ['/conditions'], showConditions)];
  if (on('orchestrator')) {
    parts.push(
      part('earned', ['/income/overview'], (a) => showEarnings(id('sums'), id('groups'), a)),
      part('asked', ['/prices'], (a) => showPrices(id('prices'), a)),
      part('payers', ['/gateways'], (a) => showPayers(id('gateways'), a)));
  }
  if (on('orchestrator') || on('redeemer')) {
    parts.push(part('won', [() => addSteps(get, `/tickets?limit=${listed}`)], (a) => showTickets(id('tickets'), id('counts'), a, known, pace), round, known && known.head.l1));
  }
  if (on('gateway')) {
    parts.push(
      part('purse', ['/sender'], (a) => showFunds(id('funds'), a, node.account)),
      part('limited', ['/price-limits'], (a) => showLimits(id('limits'), a)),
      part('paid', ['/spending'], (a) => showSpending(id('spending'), a)));
  }
  const missing = [...new Set(await Promise.all(parts))].filter(Boolean);
  if (missing.length) id('state').textContent += ` · not shown: ${missing.join('; ')}`;
}

async function loop() {
  try {
    if (!document.hidden) {
      await look();
      seen = new Date();
      main.classList.remove('stale');
    }
  } catch (err) {
    main.classList.add('stale');
    const last = seen ? `; this is from ${seen.toLocaleTimeString()}` : '';
    id('state').textContent = err instanceof Refused ? err.message : `the node does not answer${last}`;
  } finally {
    setTimeout(loop, every);
  }
}
document.addEventListener('visibilitychange', () => { if (!document.hidden) look().catch(() => {}); });
loop();
