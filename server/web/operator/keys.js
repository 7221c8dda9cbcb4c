// The API keys of a gateway's clients: what they may, used and cost, and for a user with
// the token, new keys, other limits and revoking. A new key's secret is shown once and
// goes with the view.

import { amount, below, count, element, percent, redraw, table, time } from './format.js';
import { button, change, field, form, say, unlocked } from './operate.js';

const api = '/api/v1', patience = 15000;
const id = (name) => document.getElementById(name);
let drawn = '';      // what the form is for: '' none, 'new', or a key's ID

const dollars = (text) => `${text} USD`;
const limit = (n) => (n && n !== '0' ? count(n) : '–');

function limits(k) {
  const all = [k.rpm && `${count(k.rpm)} requests/min`, k.tpm && `${count(k.tpm)} tokens/min`,
    k.concurrency && `${count(k.concurrency)} at once`, k.models.length && k.models.join(', ')].filter(Boolean);
  return all.join(' · ') || '–';
}

function budget(k) {
  const all = [k.budget && `${count(k.budget)} tokens`, k.budget_usd !== '0' && dollars(k.budget_usd)].filter(Boolean);
  const box = element('span', all.join(', '));
  if (k.budget_wei !== '0') box.append(all.length ? ', ' : '', amount(k.budget_wei));
  if (!box.childNodes.length) return '–';
  return below(box, k.period === 'total' ? 'in total' : `per ${k.period}`);
}

function used(k) {
  if (!k.budget && k.budget_wei === '0' && k.budget_usd === '0') return '–';
  return element('span', percent(k.percent / 100), k.percent >= 100 ? 'bad' : k.alert && k.percent >= k.alert ? 'warn' :
    '');
}

const spent = (wei, usd) => below(amount(wei), usd === '0' ? '' : dollars(usd));

function state(k) {
  const until = k.state === 'good' && k.expires ? `until ${time(k.expires)}` : '';
  return below(element('span', k.admin ? `${k.state}, admin` : k.state, k.state === 'good' ? 'good' : 'warn'), until);
}

function actions(k) {
  if (k.state === 'revoked' || !k.id.startsWith('k-')) return '';
  const box = element('span'), more = element('button', 'Limits');
  more.type = 'button';
  more.setAttribute('aria-label', `Limits of ${k.name}`);
  more.addEventListener('click', () => drawForm(k));
  box.append(more, ' ', button('Revoke', `Revoke ${k.name}`, '/keys/revoke', { key: k.id },
    `Revoke the key ${k.name}? Its clients are refused at once. A revoked key cannot be brought back.`, showKeys));
  return box;
}

// showKeys reads the keys again.
export async function showKeys() {
  const reply = await fetch(`${api}/keys`, { signal: AbortSignal.timeout(patience), cache: 'no-store' });
  const answer = await reply.json();
  if (!reply.ok) {
    redraw(id('keys'), [element('p', `${answer.error.code}: ${answer.error.message}`, 'quiet')]);
    drawn = '';
    id('key-form').replaceChildren();
    return;
  }
  const columns = [
    { head: 'key', kind: 'name', cell: (k) => below(k.name, k.id) },
    { head: 'state', kind: 'words', cell: state },
    { head: 'limits', kind: 'words', cell: limits },
    { head: 'budget', cell: budget },
    { head: 'of it used', kind: 'number', cell: used },
    { head: 'paid today', kind: 'number', cell: (k) => spent(k.today_wei, k.today_usd) },
    { head: 'paid in the period', kind: 'number', cell: (k) => spent(k.paid_wei, k.paid_usd) },
    { head: 'requests', kind: 'number', cell: (k) => below(limit(k.requests), `${count(k.today_requests)} today`) },
    { head: 'last use', kind: 'number', cell: (k) => (k.last_used ? time(k.last_used) : 'never') },
  ];
  if (unlocked()) columns.push({ head: 'change', kind: 'action', cell: actions });
  redraw(id('keys'), answer.keys.length ? [table('Keys', columns, answer.keys, 'cards plain')] :
    [element('p', 'There is no key: requests for models are taken from this machine alone.', 'quiet')]);
  if (!unlocked()) leaveKeys();
  else if (!drawn) drawForm();
}

// leaveKeys forgets the form, and the secret of a key that was just made.
export function leaveKeys() {
  drawn = '';
  id('key-form').replaceChildren();
  id('key-secret').replaceChildren();
}

// fields are those of a key's limits: name in the API, label, kind, and the text of a key.
const fields = [
  ['models', 'models (commas between, * at an end)', 'list', (k) => k.models.join(', ')],
  ['rpm', 'requests per minute', 'number', (k) => k.rpm],
  ['tpm', 'tokens per minute', 'number', (k) => k.tpm],
  ['concurrency', 'requests at once', 'number', (k) => k.concurrency],
  ['budget', 'budget in tokens', 'number', (k) => k.budget],
  ['budget_wei', 'budget in wei', 'text', (k) => k.budget_wei],
  ['budget_usd', 'budget in dollars', 'text', (k) => k.budget_usd],
  ['period', 'per day, week, month or total', 'word', (k) => (k.budget || k.budget_wei !== '0' || k.budget_usd !== '0' ?
    k.period : '')],
  ['alert', 'alert from percent', 'number', (k) => k.alert],
  ['expires', 'expires (90d, a day, never)', 'word', (k) => k.expires || ''],
];

// drawForm draws the form of a new key, or of a key's limits.
function drawForm(key) {
  drawn = key ? key.id : 'new';
  const boxes = [], inputs = {};
  if (!key) [boxes[0], inputs.name] = field('key-name', 'name', { required: true, maxLength: 64 });
  for (const [name, label, , from] of fields) {
    const [box, input] = field(`key-${name}`, label, { value: key ? from(key) || '' : '' });
    boxes.push(box);
    inputs[name] = input;
  }
  const title = element('h3', key ? `Limits of ${key.name}` : 'New key');
  const made = form(boxes, key ? 'Change limits' : 'Create key', async () => {
    const body = key ? { key: key.id } : { name: inputs.name.value.trim() };
    for (const [name, , kind, from] of fields) {
      const text = inputs[name].value.trim();
      if (text === String(key ? from(key) || '' : '')) continue;
      if (kind === 'number') body[name] = Number(text || 0);
      else if (kind === 'list') body[name] = text.split(',').map((m) => m.trim()).filter(Boolean);
      else body[name] = text || (kind === 'text' ? '0' : name === 'expires' ? 'never' : 'total');
    }
    const answer = await change(key ? '/keys/limits' : '/keys/create', body);
    if (answer.secret) showSecret(body.name, answer.secret);
    say(key ? `Limits of ${key.name} changed.` : `Key ${body.name} made.`);
    drawForm();
    await showKeys();
  });
  if (key) {
    const no = element('button', 'Leave as it is');
    no.type = 'button';
    no.addEventListener('click', () => drawForm());
    made.append(no);
  }
  id('key-form').replaceChildren(title, made);
}

function showSecret(name, secret) {
  const done = element('button', 'Hide');
  done.type = 'button';
  done.addEventListener('click', () => id('key-secret').replaceChildren());
  id('key-secret').replaceChildren(
    element('p', `The secret of ${name}. It is shown this once: hand it to the client now.`),
    element('code', secret), ' ', done);
}
