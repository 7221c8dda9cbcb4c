// Changes, for a user with the token. It is kept in this page's memory alone, sent in a header
// to this listener alone, and forgotten with the page and when the node goes away: while it
// is away any user of the machine can take its port, be asked for the page again, and read
// what a tab has stored. Nothing else in the page changes anything.

import { element } from './format.js';

const api = '/api/v1', patience = 15000;
const id = (name) => document.getElementById(name);
let token = '';
let listener = () => {};
let drains = false;   // whether this node can be drained

export const setDrains = (can) => { drains = can; };

export const unlocked = () => token !== '';

// change posts a change, and returns the answer.
export async function change(path, body) {
  const reply = await fetch(api + path, {
    method: 'POST', body: JSON.stringify(body), signal: AbortSignal.timeout(patience),
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
  });
  const answer = await reply.json();
  if (reply.status === 401) forget();
  if (!reply.ok) throw new Error(`${answer.error.code}: ${answer.error.message}`);
  return answer;
}

// say tells the user what happened.
export function say(text) { id('news').textContent = text; const e = id('operate-says'); if (e) e.textContent = text; }

function forget() {
  token = '';
  listener();
}

// lock forgets the token, and says why.
export function lock(why) {
  if (!unlocked()) return;
  forget();
  say(why);
}

// sure asks before something that is not undone at once. It is true when the answer is yes.
function sure(question, yes) {
  const box = element('dialog'), form = element('form'), go = element('button', yes),
    no = element('button', 'Leave it');
  form.method = 'dialog';
  go.value = 'yes';
  no.autofocus = true;
  form.append(go, no);
  box.append(element('p', question), form);
  document.body.append(box);
  box.showModal();
  return new Promise((done) => {
    box.addEventListener('close', () => { box.remove(); done(box.returnValue === 'yes'); });
  });
}

// button is one that changes something, nothing while there is no token. With a question
// it asks first; then is called when it is done.
export function button(name, about, path, body, question, then) {
  if (!unlocked()) return null;
  const b = element('button', name);
  b.type = 'button';
  b.setAttribute('aria-label', about);
  b.dataset.key = about.replace(/^\w+/, path);
  b.addEventListener('click', async () => {
    if (question && !await sure(question, name)) return;
    b.disabled = true;
    try {
      await change(path, body);
      say(`${about}: done`);
      if (then) await then();
    } catch (err) {
      say(`${about}: ${err.message}`);
    } finally {
      b.disabled = false;
    }
  });
  return b;
}

// field is a labeled input, and the input.
export function field(name, label, attributes) {
  const box = element('label', label), input = element('input');
  Object.assign(input, { id: name, autocomplete: 'off', spellcheck: false }, attributes);
  box.append(input);
  return [box, input];
}

export function form(fields, action, submit) {
  const f = element('form', undefined, 'form'), b = element('button', action);
  f.append(...fields, b);
  f.addEventListener('submit', (event) => {
    event.preventDefault();
    submit().catch((err) => say(err.message));
  });
  return f;
}

function row(...children) {
  const p = element('p', undefined, 'row form');
  p.append(...children);
  return p;
}

function locked() {
  const [box, input] = field('token', 'admin token', { type: 'password', required: true, className: 'wide' });
  return [
    element('p', 'The token is in admin.token in the data directory. ' +
      'It stays in this page and is forgotten when you leave it or the node goes away.', 'quiet'),
    form([box], 'Unlock', async () => {
      token = input.value.trim();
      try {
        await change('/settings', {});
      } catch (err) {
        forget();
        throw err;
      }
      listener();
      say('Unlocked: workers can be drained under Work, API keys be made under Keys, settings be changed here.');
    }),
  ];
}

function open(settings) {
  const [sessions, most] = field('max-sessions', 'sessions at most (a number, or auto)',
    { value: String(settings.maxSessions), required: true });
  const [verbosity, level] = field('log-level', 'log verbosity (0 to 10)',
    { type: 'number', min: 0, max: 10, value: settings.logLevel, required: true });
  const shut = element('button', 'Forget the token');
  shut.type = 'button';
  shut.addEventListener('click', () => { forget(); say('Locked.'); });
  const fields = settings.maxSessions === '' ? [verbosity] : [sessions, verbosity];
  return [
    element('p', 'Until the next start. Workers are drained and resumed under Work.', 'quiet'),
    form(fields, 'Change', async () => {
      const body = { logLevel: Number(level.value) };
      if (settings.maxSessions !== '') body.maxSessions = most.value.trim();
      await change('/settings', body);
      say('Changed.');
    }),
    ...(drains ? [row(
      button('Drain the node', 'Drain the node', '/drain', {},
        'Drain the node? It takes no new work until you take it back. What is here goes on to its end.'),
      button('Take work again', 'Take work again', '/drain', { cancel: true }), shut)] : [row(shut)]),
  ];
}

export async function showOperate() {
  const says = element('p', '', 'quiet');
  says.id = 'operate-says';
  let parts = null;
  if (unlocked()) {
    try {
      parts = open(await (await fetch(`${api}/settings`, { signal: AbortSignal.timeout(patience),
        cache: 'no-store' })).json());
    } catch {
      parts = [element('p', 'The node does not answer.', 'bad')];
    }
  }
  id('operate').replaceChildren(...(parts || locked()), says);
}

// keepOperate sets the function to call when the token is set or removed.
export function keepOperate(tell) { listener = () => { showOperate(); tell(); }; }
