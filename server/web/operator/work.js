// What the node works on, and with what: sessions, devices, GPUs, models, refusals.

import { ago, below, bytes, count, element, gauge, hash, money, pixels, redraw, since, table } from './format.js';
import { button, unlocked } from './operate.js';

const id = (name) => document.getElementById(name);

function pace(s) {
  if (!s.ratio) return '–';
  return element('span', s.behind ? `${s.ratio.toFixed(2)}, behind` : s.ratio.toFixed(2), s.behind ? 'bad' : '');
}

const peer = (text) => (/^0x[0-9a-fA-F]{40}$/.test(text) ? hash(text) : text || '–');

export function showSessions({ sessions, node }) {
  id('sessions-title').textContent = `Live sessions (${count(sessions.total)})`;
  if (!sessions.total) {
    redraw(id('sessions'), [element('p', 'No stream is here at the moment.', 'quiet')]);
    return;
  }
  const gateway = !node.roles.includes('orchestrator') && node.roles.includes('gateway');
  const parts = [table('Sessions', [
    { head: 'stream', kind: 'name', cell: (s) => below(element('code', s.stream || s.id), s.stream &&
      s.id !== s.stream ? s.id : '') },
    { head: gateway ? 'orchestrator' : 'gateway', cell: (s) =>
      below(peer(s.peer), s.movedCode ? `moved here: ${s.movedCode}` : '') },
    { head: 'device', cell: (s) => s.device },
    { head: 'renditions', cell: (s) => s.renditions.join(', ') },
    { head: 'pixels/s', kind: 'number', cell: (s) => (s.pixelsPerSecond ?
      pixels(s.pixelsPerSecond).join(' ').replace('pixel/s', '') : '–') },
    { head: 'pace', kind: 'number', cell: pace },
    { head: 'segments', kind: 'number', cell: (s) => count(s.segments) },
    { head: 'failed', kind: 'number', cell: (s) => (s.failed ?
      element('span', `${count(s.failed)} ${s.lastCode}`, 'bad') : '0') },
    { head: 'here for', kind: 'number', cell: (s) => ago(s.since) },
  ], sessions.list, 'cards plain')];
  parts.push(element('p', 'Pace is working time by playing time: above 1 a stream falls behind.', 'note'));
  if (sessions.list.length < sessions.total) parts.push(element('p',
    `The ${sessions.list.length} slowest of ${count(sessions.total)} are shown.`, 'quiet'));
  redraw(id('sessions'), parts);
}

const looks = { ready: 'good', quarantined: 'bad', suspended: 'bad', failed: 'bad', draining: 'warn' };

function standing(w) {
  return below(element('span', w.state, looks[w.state] || ''), [w.code, w.reason].filter(Boolean).join(': '));
}

export function showWorkers({ workers }) {
  id('workers-box').hidden = !workers.length;
  if (!workers.length) return;
  const columns = [
    { head: 'name', kind: 'name', cell: (w) => below(w.name, w.remote ? w.address || 'another machine' : '') },
    { head: 'kind', cell: (w) => (w.kind === 'ai' ? 'AI worker' : 'transcoder') },
    { head: 'state', kind: 'words', cell: standing },
    { head: 'sessions', kind: 'number', cell: (w) => (w.limit ? `${count(w.sessions)} of ${count(w.limit)}` :
      count(w.sessions)) },
    { head: 'in work', kind: 'number', cell: (w) => count(w.segments) },
    { head: 'pace', kind: 'number', cell: (w) => (w.ratio ? element('span', w.ratio.toFixed(2), w.ratio > 1 ? 'bad' :
      '') : '–') },
    { head: 'done', kind: 'number', cell: (w) => count(w.done) },
    { head: 'failed', kind: 'number', cell: (w) => (w.failed ? element('span', count(w.failed), 'warn') : '0') },
  ];
  if (unlocked()) columns.push({ head: 'change', kind: 'action', cell: (w) => {
    const drain = w.state !== 'draining';
    return button(drain ? 'Drain' : 'Resume', `${drain ? 'Drain' : 'Resume'} ${w.name}`, '/workers/state',
      { name: w.name, drain },
      drain && `Drain ${w.name}? It gets no new sessions; what it has goes on to its end.`);
  } });
  redraw(id('workers'), [table('Devices and workers', columns, workers, 'cards plain')]);
}

export function showRunners({ runners }) {
  id('runners-box').hidden = !runners.length;
  if (!runners.length) return;
  const columns = [
    { head: 'runner', kind: 'name', cell: (r) => below(r.label || r.id, r.label ? r.id : '') },
    { head: 'app', cell: (r) => r.app },
    { head: 'kind', cell: (r) => below(r.kind, r.devices.length ? `GPU ${r.devices.join(', ')}` : '') },
    { head: 'state', kind: 'words', cell: (r) => below(element('span', r.state, r.state === 'not ready' ? 'bad' :
      looks[r.state] || ''), [r.code, r.reason].filter(Boolean).join(': ')) },
    { head: 'sessions', kind: 'number', cell: (r) => `${count(r.sessions)} of ${count(r.limit)}` },
    { head: 'restarts', kind: 'number', cell: (r) => (r.restarts ? element('span', count(r.restarts), 'warn') : '0') },
  ];
  if (unlocked()) columns.push({ head: 'change', kind: 'action', cell: (r) => {
    const drain = r.state !== 'draining';
    const name = r.label || r.id;
    return button(drain ? 'Drain' : 'Resume', `${drain ? 'Drain' : 'Resume'} ${name}`, '/runners/state',
      { name, drain },
      drain && `Drain ${name}? It gets no new sessions; those that it has go on to their end.`);
  } });
  redraw(id('runners'), [table('Live runners', columns, runners, 'cards plain')]);
}

export function showCapabilities({ capabilities }) {
  id('capabilities-box').hidden = !capabilities.length;
  if (!capabilities.length) return;
  const columns = [
    { head: 'capability', kind: 'name', cell: (c) => below(c.name, c.description) },
    { head: 'state', kind: 'words', cell: (c) => below(element('span', c.state, c.state === 'not ready' ? 'bad' :
      looks[c.state] || ''), c.reason) },
    { head: 'in use', kind: 'number', cell: (c) => `${count(c.inUse)} of ${count(c.capacity)}` },
    { head: 'price of a second', kind: 'number', cell: (c) =>
      (c.price ? below(`${c.price} wei`, c.listed) : c.listed || 'free') },
    { head: 'jobs', kind: 'number', cell: (c) => count(c.jobs) },
    { head: 'seconds', kind: 'number', cell: (c) => count(c.seconds) },
    { head: 'earned', kind: 'number', cell: (c) => money(c.earned) },
  ];
  if (unlocked()) columns.push({ head: 'change', kind: 'action',
    cell: (c) => button('Remove', `Remove ${c.name}`, '/capabilities/remove', { name: c.name },
    `Remove ${c.name}? It gets no new work; what it has goes on. A server that registers again is back.`) });
  redraw(id('capabilities'), [table('External capabilities', columns, capabilities, 'cards plain')]);
}

export function showGPUs({ gpus }) {
  id('gpus-box').hidden = !gpus.length;
  if (!gpus.length) return;
  const load = (key) => (g) => (g.sampled ? gauge(g[key] / 100, `${g[key]} %`) : '–');
  redraw(id('gpus'), [table('GPUs', [
    { head: 'GPU', kind: 'name', cell: (g) => below(`${g.id} · ${g.name}`, g.problem) },
    { head: 'memory', cell: (g) => (g.sampled && g.memory ? gauge(g.used / g.memory,
      `${bytes(g.used)} of ${bytes(g.memory)}`) : bytes(g.memory)) },
    { head: 'of it others', kind: 'number', cell: (g) => (g.foreign ? bytes(g.foreign) : '0') },
    { head: 'computing', cell: load('load') },
    { head: 'encoding', cell: load('encoder') },
    { head: 'decoding', cell: load('decoder') },
    { head: 'encoders open', kind: 'number', cell: (g) => count(g.encoderSessions) },
    { head: 'temperature', kind: 'number', cell: (g) => (g.temperature ?
      element('span', `${g.temperature} °C${g.throttled ? `, ${g.throttled}` : ''}`, g.throttled ? 'warn' : '') :
      '–') },
  ], gpus, 'cards plain')]);
}

export function showModels({ models }) {
  id('models-box').hidden = !models.length;
  if (!models.length) return;
  redraw(id('models'), [table('AI models', [
    { head: 'model', kind: 'name', cell: (m) => below(m.model, m.pipeline) },
    { head: 'state', kind: 'words', cell: (m) => below(element('span', m.state, looks[m.state] || ''),
      [m.progress, m.code, m.reason].filter(Boolean).join(': ')) },
    { head: 'runner', cell: (m) => (m.remote ? 'remote worker' : m.external ? 'server behind a url' : m.warm ?
      'container, warm' : 'container, on demand') },
    { head: 'where', cell: (m) => m.devices.join(', ') },
    { head: 'in use', kind: 'number', cell: (m) => (m.capacity ? `${m.inUse} of ${m.capacity}` : String(m.inUse)) },
    { head: 'waiting', kind: 'number', cell: (m) => element('span', count(m.waiting), m.waiting ? 'warn' : '') },
    { head: 'for', kind: 'number', cell: (m) => ago(m.since) },
  ], models, 'cards plain')]);
}

export function showRefusals({ refusals }) {
  id('refusals-box').hidden = !refusals.length;
  if (!refusals.length) return;
  redraw(id('refusals'), [table('Refusals by gateway and reason', [
    { head: 'gateway', kind: 'name', cell: (r) => peer(r.gateway) },
    { head: 'asked for', cell: (r) => r.about },
    { head: 'reason', cell: (r) => r.code },
    { head: 'times', kind: 'number', cell: (r) => count(r.count) },
    { head: 'last', cell: (r) => since(r.last) },
    { head: 'what to do', kind: 'words', cell: (r) => r.remedy.replaceAll('`', '') },
  ], refusals, 'cards plain')]);
}
