// Round, head and endpoints of the chain.

import { count, element, fact, percent, redraw, since, table } from './format.js';

const id = (name) => document.getElementById(name);
const looks = { serving: 'good', untried: '' };

export function showChain({ chain }) {
  if (!chain) return;
  const facts = chain.known ? [
    fact('round', count(chain.round.number)),
    fact('opened', element('span', chain.round.initialized ? 'yes' : 'no', chain.round.initialized ? '' : 'warn')),
    fact('blocks left', count(Math.max(0, chain.round.end - chain.l1))),
    fact('layer-1 block', count(chain.l1)),
    fact('layer-2 block', count(chain.head)),
    fact('newest block of', since(chain.headTime)),
    ...(chain.stale ? [fact('news', element('span', 'none for too long; this is what was known last', 'bad'))] : []),
  ] : [fact('chain', element('span', 'no block was read yet', 'warn'))];
  redraw(id('round'), facts);
  if (!chain.endpoints.length) {
    redraw(id('endpoints'), [element('p', 'No endpoint is configured.', 'quiet')]);
    return;
  }
  redraw(id('endpoints'), [table('Endpoints', [
    { head: 'host', kind: 'name', cell: (e) => e.name },
    { head: 'state', cell: (e) => element('span', e.state, looks[e.state] ?? 'warn') },
    { head: 'head', kind: 'number', cell: (e) => count(e.head) },
    { head: 'blocks behind', kind: 'number', cell: (e) => count(e.lag) },
    { head: 'errors', kind: 'number', cell: (e) => percent(e.errorRate) },
    { head: 'answers in', kind: 'number', cell: (e) => `${Math.round(e.latencyMs)} ms` },
    { head: 'about', kind: 'words', cell: (e) => e.detail },
  ], chain.endpoints, 'cards plain')]);
}
