// The first view: whether the node takes work, what is wrong and what to do, and a few
// figures.

import { count, duration, element, fact, pixels, redraw, since, time } from './format.js';

const id = (name) => document.getElementById(name);
const order = { critical: 0, warning: 1, info: 2 };

// words are the gate's in plain English: a title, why, and the look of it.
function words(gate, open) {
  const shut = gate.doors.filter((d) => !d.open);
  const why = shut.map((d) => (gate.doors.length > 1 ? `${d.name}: ` : '') + (d.reason || d.code)).join('; ');
  const { drain } = gate;
  if (drain && drain.state !== 'serving' && drain.state !== 'stopping') {
    const left = `${count(drain.sessions)} session${drain.sessions === 1 ? '' : 's'} and ` +
      `${count(drain.jobs)} AI job${drain.jobs === 1 ? '' : 's'} are left`;
    const until = drain.deadline ? `, until ${time(drain.deadline)} at the latest` : '';
    const then = drain.stop ? ' Then the node stops.' : '';
    return drain.state === 'drained' ? ['Drained: taking nothing new', `Nothing is left.${then}`, 'partly'] :
      ['Draining: taking nothing new', `${left}${until}.${then}`, 'partly'];
  }
  if (gate.stopping) return ['Not taking new work: draining', 'What is here is finished, then the node stops.',
    'partly'];
  if (!gate.doors.length) return ['Nothing to open here',
    'This kind of node takes no work from gateways or applications.', ''];
  const full = shut.filter((d) => d.limit > 0 && d.inUse >= d.limit);
  if (shut.length && shut.length === full.length) {
    const more = gate.taking ? `Full for ${full.map((d) => d.name).join(' and ')}` : 'Full';
    return [more, `Every place is taken (${full.map((d) => `${d.name}: ${d.inUse} of ${d.limit}`).join('; ')}). ` +
      'New ones are let in as others leave.', 'partly'];
  }
  if (!gate.taking) return ['Not taking work', `Because ${why}.`, 'shut'];
  if (shut.length) return [`Taking ${gate.doors.filter((d) => d.open).map((d) => d.name).join(' and ')} only`,
    `Because ${why}.`, 'partly'];
  const unseen = gate.doors.find((d) => d.open && d.reason);
  if (unseen) return ['Ready, but no gateway looks here', `${unseen.code ? `${unseen.code}: ` : ''}${unseen.reason}`,
    'partly'];
  const worst = open.find((t) => t.severity === 'critical') || open.find((t) => t.severity === 'warning');
  if (worst) return ['Taking work, but look at this', `${worst.code}: ${worst.detail || worst.cause}`, 'partly'];
  return ['Taking work', '', 'open'];
}

function use(d) {
  const full = d.limit ? `${count(d.inUse)} of ${count(d.limit)}` : count(d.inUse);
  return `${full} in use${d.open ? '' : ', shut'}`;
}

export function showGate(state) {
  const open = state.troubles.filter((t) => !t.hiddenBy);
  const [title, why, look] = words(state.gate, open);
  id('gate').className = `gate ${look}`;
  id('gate-title').textContent = title;
  id('gate-reason').textContent = why;
  redraw(id('doors'), state.gate.doors.map((d) => fact(d.name, element('span', use(d), d.open ? '' : 'bad'))).concat(
    state.gate.reloaded ? [fact('configuration reloaded', since(state.gate.reloaded))] : []));
  return title;
}

function trouble(t) {
  const name = t.about ? `${t.code} · ${t.about}` : t.code;
  if (t.hiddenBy) return element('p', `${name} follows from ${t.hiddenBy}`, 'follows');
  const box = element('article', undefined, `trouble ${t.severity}`);
  const title = element('h3', name), when = element('small');
  when.append(element('span', t.severity, 'severity'), ' · since ', since(t.since));
  title.append(when);
  const remedy = element('p', undefined, 'remedy');
  remedy.append(element('b', 'What to do: '), t.remedy.replaceAll('`', ''));
  box.append(title);
  if (t.detail) box.append(element('p', t.detail));
  box.append(element('p', t.cause.replaceAll('`', ''), 'quiet'), remedy);
  return box;
}

export function showTroubles(state) {
  const all = [...state.troubles].sort((a, b) => Boolean(a.hiddenBy) - Boolean(b.hiddenBy) ||
    order[a.severity] - order[b.severity]);
  const open = all.filter((t) => !t.hiddenBy);
  id('troubles-title').textContent = open.length ? `Problems (${open.length})` : 'Conditions';
  redraw(id('conditions'), all.length ? all.map(trouble) : [element('p', 'No problems.', 'fine')]);
  const badge = id('badge'), bad = open.filter((t) => t.severity !== 'info');
  badge.hidden = !bad.length;
  badge.textContent = bad.length;
  badge.className = `badge ${bad.some((t) => t.severity === 'critical') ? 'critical' : 'warning'}`;
  badge.setAttribute('aria-label', `${bad.length} problems`);
}

const sum = (list, key) => list.reduce((all, p) => all + p[key], 0);

// tile is a figure; one that is not well is colored and says what to do.
function tile(name, value, unit, look, remedy) {
  const box = element('div'), dd = element('dd', value, look);
  if (unit) dd.append(' ', element('small', unit));
  box.append(element('dt', name), dd);
  if (look && remedy) box.append(element('dd', remedy, 'remedy'));
  return box;
}

const slower = 'Lower -maxSessions or add a device; Work shows which session and which device.';

export function showTiles(state) {
  const { sessions, series, models, workers } = state;
  const minute = series.slice(-Math.max(1, Math.round(60 / (state.seriesStep || 5))));
  const seconds = minute.length * (state.seriesStep || 5) || 1;
  const latest = [...minute].reverse().find((p) => p.segments > 0);
  const failed = sum(series, 'failed') + sum(series, 'jobsFailed'), refused = sum(series, 'refused');
  const tiles = [
    tile('live sessions', count(sessions.total)),
    tile('behind real time', count(sessions.behind), '', sessions.behind ? 'bad' : '', slower),
    tile('pixels made', ...pixels(sum(minute, 'pixels') / seconds)),
    tile('pace of the slowest 5 %', latest ? latest.ratio.toFixed(2) : '–', latest ? '× playing time' : '', latest &&
      latest.ratio > 1 ? 'bad' : '', slower),
    tile('failed, 15 min', count(failed), '', failed ? 'warn' : '', 'Work names the codes by session and worker.'),
    tile('refused, 15 min', count(refused), '', refused ? 'warn' : '', 'Work lists gateway, reason and remedy.'),
  ];
  if (workers.length) tiles.push(tile('workers ready', `${workers.filter((w) => w.state === 'ready').length}`,
    `of ${workers.length}`));
  if (models.length) {
    tiles.push(tile('models ready', `${models.filter((m) => m.state === 'ready').length}`, `of ${models.length}`));
    tiles.push(tile('AI jobs, 15 min', count(sum(series, 'jobs'))));
  }
  tiles.push(tile('up for', duration(Date.now() - Date.parse(state.node.started))));
  redraw(id('tiles'), tiles);
}
