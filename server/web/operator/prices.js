// What work costs: asked, quoted to gateways now, and the most that a gateway pays.

import { amount, element, fact, hash, percent, table } from './format.js';
import { model } from './earnings.js';

const places = 6;   // of a price in wei

// wei writes the price of a unit, which comes as a whole number or "a/b", exactly on
// demand.
export function wei(text) {
  if (text === null) return element('span', 'the rate is not known', 'bad');
  const [over, under = '1'] = text.split('/');
  const a = BigInt(over), b = BigInt(under);
  const scaled = (a * 10n ** BigInt(places)) / b;
  const rest = (scaled % 10n ** BigInt(places)).toString().padStart(places, '0').replace(/0+$/, '');
  const whole = (scaled / 10n ** BigInt(places)).toString();
  let shown = rest ? `${whole}.${rest}` : whole;
  if (scaled === 0n && a > 0n) shown = `less than 0.${'0'.repeat(places - 1)}1`;
  const e = element('span', `${shown} wei`);
  e.title = `${text} wei`;
  return e;
}

const pixels = (p) => p.pipeline === '' || p.pipeline === 'transcoding';
const unit = (p) => (pixels(p) ? 'pixel' : 'unit');

// work is what a price is for; nothing names everything.
function work(p, all) {
  if (p.pipeline === '') return all;
  return p.model ? model(p) : `${p.pipeline} · every model`;
}

// asSet is a price as the operator set it.
function asSet(p) {
  if (/^0*(\.0*)?$/.test(p.pricePerUnit)) return 'free';
  const per = p.pixelsPerUnit === 1 ? unit(p) : `${p.pixelsPerUnit} ${unit(p)}s`;
  return `${p.pricePerUnit} ${p.currency || 'wei'} per ${per}`;
}

const who = (p) => (p.gateway ? hash(p.gateway) : 'all other gateways');

export function showPrices(into, answer) {
  const parts = [table('Asked, before redeeming is reckoned in', [
    { head: 'work', kind: 'name', cell: (p) => work(p, 'transcoding') },
    { head: 'gateway', cell: who },
    { head: 'price', kind: 'number', cell: asSet },
    { head: 'for one pixel or unit', kind: 'number', cell: (p) => wei(p.weiPerPixel) },
  ], answer.prices)];
  if (answer.quotes.length) {
    parts.push(table('Quoted to gateways now', [
      { head: 'gateway', kind: 'name', cell: (q) => hash(q.gateway) },
      { head: 'work', cell: (q) => work(q, 'transcoding') },
      { head: 'for one pixel or unit', kind: 'number', cell: (q) =>
        (q.problem ? element('span', `no quote: ${q.problem}`, 'bad') : wei(q.weiPerUnit)) },
      { head: 'of it for redeeming', kind: 'number', cell: (q) => (q.problem ? '' : `+ ${percent(q.overhead)}`) },
    ], answer.quotes));
  }
  const facts = element('dl', undefined, 'facts');
  facts.append(fact('what redeeming costs is added', answer.autoAdjust ? 'yes' : 'no (-autoAdjustPrice=false)'));
  if (answer.tickets) {
    const bound = answer.tickets.maxFaceValue;
    facts.append(fact('a ticket is to be worth', amount(answer.tickets.ticketEV)),
      fact('and pays at most', bound === '0' ? 'no bound' : amount(bound)));
  }
  into.replaceChildren(facts, ...parts);
}

export function showLimits(into, answer) {
  const facts = element('dl', undefined, 'facts');
  if (answer.tickets) {
    facts.append(fact('one ticket is worth at most', amount(answer.tickets.maxTicketEV)),
      fact('all tickets of a payment', amount(answer.tickets.maxTotalEV)),
      fact('a ticket pays at most', `the deposit / ${answer.tickets.depositMultiplier}`));
  }
  const none = (p) => /^0*(\.0*)?$/.test(p.pricePerUnit);
  into.replaceChildren(facts, table('Highest prices', [
    { head: 'work', kind: 'name', cell: (p) => work(p, 'everything without a limit of its own') },
    { head: 'at most', kind: 'number', cell: (p) => (none(p) ? 'no limit' : asSet(p)) },
    { head: 'for one pixel or unit', kind: 'number', cell: (p) => (none(p) ? '' : wei(p.weiPerPixel)) },
  ], answer.limits));
}
