// The operator's dashboard: follows the node's stream of events and shows the view
// that the address names. While the node does not answer, what was seen last stays,
// grayed. Only operate.js ever changes anything, for a user with the token.

import { element, hash, time } from './format.js';
import { leaveKeys, showKeys } from './keys.js';
import { addLines, keepLog, setLines, showLog } from './log.js';
import { showMoney } from './money.js';
import { showChain } from './onchain.js';
import { keepOperate, lock, setDrains, showOperate } from './operate.js';
import { keepOptions, showOptions } from './options.js';
import { showGate, showTiles, showTroubles } from './overview.js';
import { keepPlots, showPlots } from './plots.js';
import { showWhy } from './why.js';
import { showCapabilities, showGPUs, showModels, showRefusals, showRunners, showSessions,
  showWorkers } from './work.js';

const id = (name) => document.getElementById(name);
const views = ['overview', 'work', 'why', 'money', 'keys', 'onchain', 'log', 'settings'];
const silence = 40000, again = 3000, moneyEvery = 5000, whyEvery = 30000, points = 180;

let state = null;        // the dashboard as it is known
let seen = 0;            // when something was heard last
let version = '';        // of the node that served this page
let source = null;
let standing = null;     // the script of the status on the chain, on a node that has one
let gate = '', codes = null;   // what was announced last

// drawn says which fields a view is made of.
const drawn = {
  overview: [[['troubles', 'gate'], showTroubles], [['sessions', 'series', 'models', 'workers', 'node'], showTiles],
    [['series'], (s) => showPlots(s.series)]],
  work: [[['sessions', 'node'], showSessions], [['workers'], showWorkers], [['runners'], showRunners],
    [['capabilities'], showCapabilities], [['gpus'], showGPUs], [['models'], showModels], [['refusals'], showRefusals]],
  why: [],
  money: [],
  keys: [],
  onchain: [[['chain'], showChain]],
  log: [[['log'], () => showLog(false)]],
  settings: [[['settings'], (s) => showOptions(s.settings)]],
};

// view is the one that the address names; an address within a view changes nothing.
let current = 'overview';
function view() { return current; }

function showNode({ node, chain }) {
  if (version && node.version !== version) location.reload();
  version = node.version;
  id('who').replaceChildren(element('strong', node.roles.join(', ')),
    ` · ${node.offchain ? 'off\u2011chain' : node.network}`);
  const who = node.roles.includes('orchestrator') ? node.orchestrator || node.account : node.account;
  if (who) id('who').append(' · ', hash(who));
  if (!node.offchain && !standing) standing = import('./chain.js');
  id('nav-why').hidden = !node.roles.includes('orchestrator');
  id('nav-keys').hidden = !node.roles.includes('gateway');
  id('nav-money').hidden = id('nav-onchain').hidden = node.offchain;
  const stale = chain && chain.stale ? ' · the chain is silent' : '';
  id('state-text').textContent = `${node.version}, up since ${time(node.started)}${stale}`;
}

// announce says aloud what matters, and once: the gate's words, and new problems.
function announce(title) {
  const now = new Set(state.troubles.filter((t) => !t.hiddenBy &&
    t.severity !== 'info').map((t) => (t.about ? `${t.code} ${t.about}` : t.code)));
  const news = [];
  if (gate && title !== gate) news.push(title);
  if (codes) {
    for (const c of now) if (!codes.has(c)) news.push(`new problem: ${c}`);
    if (codes.size && !now.size) news.push('nothing is wrong any more');
  }
  gate = title;
  codes = now;
  if (news.length) id('news').textContent = news.join('. ');
  document.title = now.size ? `(${now.size}) tutti · operator` : 'tutti · operator';
}

// show draws what of the present view the changed fields are in; all of it for null.
function show(changed) {
  if (!state) return;
  const touched = (fields) => !changed || fields.some((f) => changed.has(f));
  if (touched(['node', 'chain'])) showNode(state);
  if (touched(['gate', 'troubles'])) {
    announce(showGate(state));
    setDrains(Boolean(state.gate.drain) && state.node.roles.includes('orchestrator') && state.gate.doors.length > 0);
    if (view() !== 'overview') showTroubles(state);   // for the badge
  }
  for (const [fields, draw] of drawn[view()]) if (touched(fields)) draw(state);
}

function heard() {
  seen = Date.now();
  id('content').classList.remove('stale');
  id('pulse').className = 'pulse live';
}

function lost(why) {
  lock('The node went away: what answers next at its port may be another program. The token is forgotten.');
  id('content').classList.add('stale');
  id('pulse').className = 'pulse lost';
  id('state-text').textContent = seen ?
    `the node does not answer; this is from ${new Date(seen).toLocaleTimeString()}` : why;
}

function whole(event) {
  state = JSON.parse(event.data);
  setLines(state.log);
  heard();
  show(null);
  if (view() === 'log') showLog(true);
}

function update(event) {
  const news = JSON.parse(event.data);
  if (!state) return;
  if (news.log) addLines(news.log);
  if (news.series) news.series = [...state.series, ...news.series].slice(-points);
  Object.assign(state, news);
  heard();
  show(new Set(Object.keys(news)));
}

// follow opens the stream. A hidden page holds none: a browser has few connections to
// one host.
function follow() {
  if (source || document.hidden) return;
  source = new EventSource('/api/v1/events');
  source.addEventListener('whole', whole);
  source.addEventListener('update', update);
  source.addEventListener('beat', heard);
  source.addEventListener('error', () => {
    leave();
    lost('the node does not answer');
    setTimeout(follow, again);
  });
}

function leave() {
  if (source) source.close();
  source = null;
}

function turn() {
  const named = location.hash.slice(1) || 'overview';
  if (views.includes(named)) current = named;
  const now = current;
  for (const name of views) id(`view-${name}`).hidden = name !== now;
  for (const a of document.querySelectorAll('nav a')) {
    if (a.hash === `#${now}`) a.setAttribute('aria-current', 'page');
    else a.removeAttribute('aria-current');
  }
  show(null);
  if (now === 'log') showLog(true);
  if (now === 'settings') showOperate();
  if (now === 'money') money();
  if (now === 'keys') keys();
  else leaveKeys();
  if (now === 'why') why();
}

async function why() {
  if (view() !== 'why' || document.hidden) return;
  try {
    await showWhy();
  } catch { /* the stream says that the node is away */ }
}

let keysRead = false;
async function keys() {
  if (keysRead || view() !== 'keys' || document.hidden) return;
  keysRead = true;
  try {
    await showKeys();
  } catch { /* the stream says that the node is away */ } finally {
    keysRead = false;
  }
}

let reading = false;
async function money() {
  if (reading || !state || state.node.offchain || view() !== 'money' || document.hidden) return;
  reading = true;
  try {
    await showMoney(state);
  } catch { /* the stream says that the node is away */ } finally {
    reading = false;
  }
}

addEventListener('hashchange', () => {
  if (!views.includes(location.hash.slice(1) || 'overview')) return;
  turn();
  scrollTo(0, 0);
});
document.addEventListener('visibilitychange', () => { if (document.hidden) { leave(); leaveKeys(); } else follow(); });
addEventListener('pagehide', leave);
setInterval(() => { if (source && seen && Date.now() - seen > silence) { leave(); lost(''); follow(); } }, again);
setInterval(money, moneyEvery);
setInterval(keys, moneyEvery);
setInterval(why, whyEvery);
keepPlots(() => (state ? state.series : []));
keepLog();
keepOptions();
keepOperate(() => { show(null); keys(); });
turn();
follow();
