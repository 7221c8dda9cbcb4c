// Every option's value and where it came from.

import { below, element, redraw, table } from './format.js';

const id = (name) => document.getElementById(name);
let options = [];

export function showOptions(list) {
  if (list) options = list;
  const find = id('option').value.trim().toLowerCase(), only = id('changed').checked;
  const rows = options.filter((o) => (!only || o.changed || o.origin !== 'default') &&
    (!find || `${o.name} ${o.value}`.toLowerCase().includes(find)));
  if (!rows.length) {
    redraw(id('options'), [element('p', only && !find ? 'Every option has its default.' : 'No option is called so.',
      'quiet')]);
    return;
  }
  const shown = (o) => (o.value === '' ? element('span', 'empty', 'quiet') : element('code', o.value));
  redraw(id('options'), [table('Options', [
    { head: 'option', kind: 'name', cell: (o) => element('code', `-${o.name}`) },
    { head: 'value', kind: 'value', cell: (o) => (o.pending ? below(shown(o), `after a restart: ${o.pending}`) :
      shown(o)) },
    { head: 'from', cell: (o) => element('span', o.origin, o.origin === 'default' ? 'quiet' : '') },
  ], rows, 'cards plain')]);
}

export function keepOptions() {
  for (const name of ['changed', 'option']) id(name).addEventListener('input', () => showOptions());
}
