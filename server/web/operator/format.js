// What amounts, times and names look like, and tables. Amounts come as texts of wei,
// which are more than a number holds, and may have decimal places and a sign.

export function element(name, text, className) {
  const e = document.createElement(name);
  if (text !== undefined && text !== null) e.textContent = text;
  if (className) e.className = className;
  return e;
}

const units = [['ETH', 18n, 10n ** 15n], ['gwei', 9n, 10n ** 6n], ['wei', 0n, 0n]];
const digits = 5;   // how many are shown of the first that is not 0

function grouped(text) { return text.replace(/\B(?=(\d{3})+$)/g, '\u202f'); }

// scaled writes n of 10^-places with few digits.
function scaled(n, places) {
  const unit = 10n ** places;
  const whole = n / unit;
  let rest = places ? (n % unit).toString().padStart(Number(places), '0') : '';
  const lead = whole > 0n ? Math.max(0, digits - whole.toString().length) : rest.search(/[1-9]/) + digits;
  rest = rest.slice(0, Math.max(0, lead)).replace(/0+$/, '');
  return grouped(whole.toString()) + (rest && `.${rest}`);
}

// money writes wei in the unit that people read.
export function money(text) {
  const negative = text.startsWith('-');
  const [whole, rest = ''] = text.replace('-', '').split('.');
  const n = BigInt(whole || '0');
  const sign = negative ? '−' : '';
  if (n === 0n) return /[1-9]/.test(rest) ? `${sign}less than 1 wei` : '0';
  for (const [name, places, least] of units) {
    if (n >= least) return `${sign}${scaled(n, places)} ${name}`;
  }
  return text;
}

export function tokens(text) {
  const n = BigInt(text);
  return n === 0n ? '0' : `${scaled(n, 18n)} LPT`;
}

export const count = (n) => grouped(String(n));
export const short = (hash) => `${hash.slice(0, 8)}…${hash.slice(-4)}`;
export const percent = (share) => `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;

export function time(text) {
  const t = new Date(text);
  const today = t.toDateString() === new Date().toDateString();
  return today ? t.toLocaleTimeString() : t.toLocaleString();
}

// duration writes milliseconds in the two largest units.
export function duration(ms) {
  const s = Math.max(0, Math.floor(ms / 1000));
  if (s < 60) return `${s} s`;
  const m = Math.floor(s / 60), h = Math.floor(m / 60), d = Math.floor(h / 24);
  if (h < 1) return `${m} min`;
  if (d < 1) return `${h} h ${m % 60} min`;
  return `${d} d ${h % 24} h`;
}

// since is a time with how long ago it was to be read on demand.
export function since(text) {
  const e = element('time', time(text));
  e.dateTime = text;
  e.title = `${duration(Date.now() - Date.parse(text))} ago`;
  return e;
}

// ago is for how long something has been so.
export function ago(text) {
  const e = element('time', duration(Date.now() - Date.parse(text)));
  e.dateTime = text;
  e.title = `since ${time(text)}`;
  return e;
}

// scale writes a number with the largest unit that it has one of.
function scale(n, list) {
  for (const [least, unit] of list) {
    if (n >= least) return [(n / least).toFixed(n / least < 10 ? 1 : 0), unit];
  }
  return [String(Math.round(n)), ''];
}

// pixels is pixels per second as a number and its unit.
export function pixels(n) {
  const [number, unit] = scale(n, [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']]);
  return [number, `${unit}pixel/s`];
}

// bytes of memory.
export function bytes(n) {
  const [number, unit] = scale(n, [[2 ** 40, 'TiB'], [2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB']]);
  return `${number} ${unit || 'B'}`;
}

// gauge is a share as a bar with its number.
export function gauge(share, text) {
  const span = element('span'), bar = element('span', undefined, share > 0.9 ? 'share hot' : 'share'),
    fill = element('i');
  fill.style.width = `${Math.min(100, Math.max(0, 100 * share))}%`;
  bar.setAttribute('aria-hidden', 'true');
  bar.append(fill);
  span.append(bar, text);
  return span;
}

// redraw replaces what is in an element, and leaves it alone while its text is being
// selected. What had the keyboard's focus keeps it, if it has a data-key, and what was
// scrolled stays so.
export function redraw(into, children) {
  const selection = document.getSelection();
  if (selection && !selection.isCollapsed && into.contains(selection.anchorNode)) return;
  const focused = into.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  const left = [...into.querySelectorAll('.scroll')].map((e) => e.scrollLeft);
  into.replaceChildren(...children);
  into.querySelectorAll('.scroll').forEach((e, i) => { reachable(e); if (left[i]) e.scrollLeft = left[i]; });
  if (focused) for (const e of into.querySelectorAll('[data-key]')) {
    if (e.dataset.key === focused) e.focus({ preventScroll: true });
  }
}

// reachable lets the keyboard scroll what is wider than its place.
export function reachable(e) {
  if (e.scrollWidth > e.clientWidth) {
    e.tabIndex = 0;
    e.setAttribute('role', 'region');
    e.setAttribute('aria-label', e.querySelector('caption')?.textContent || 'table');
    e.dataset.key = `scroll ${e.getAttribute('aria-label')}`;
  } else {
    e.removeAttribute('tabindex');
    e.removeAttribute('role');
    e.removeAttribute('aria-label');
  }
}

// amount is an element with the exact number to be read on demand.
export function amount(text) {
  const e = element('span', money(text));
  e.title = `${text} wei`;
  return e;
}

export function hash(text, name) {
  const e = element('code', name || short(text));
  e.title = text;
  return e;
}

// below sets a quieter line under something.
export function below(first, second) {
  const span = element('span');
  span.append(first);
  if (second) {
    const quiet = element('span', undefined, 'under');
    quiet.append(second);
    span.append(quiet);
  }
  return span;
}

// table makes one from columns {head, cell(row), kind} where kind is 'number',
// 'words', 'whole' or 'name' for the row's heading. On a phone its rows become cards.
export function table(caption, columns, rows, className = 'cards') {
  const t = element('table', undefined, className);
  const role = (e, r) => { e.setAttribute('role', r); return e; };   // cards lose them
  role(t, 'table').append(element('caption', caption));
  const head = role(element('tr'), 'row');
  for (const c of columns) {
    const th = role(element('th', c.head, c.kind === 'number' ? 'number' : ''), 'columnheader');
    th.scope = 'col';
    head.append(th);
  }
  const thead = role(element('thead'), 'rowgroup');
  thead.append(head);
  const body = role(element('tbody'), 'rowgroup');
  for (const row of rows) {
    const tr = role(element('tr'), 'row');
    for (const c of columns) {
      const cell = role(element(c.kind === 'name' ? 'th' : 'td', undefined, c.kind === 'name' ? '' : c.kind),
        c.kind === 'name' ? 'rowheader' : 'cell');
      if (c.kind === 'name') cell.scope = 'row';
      cell.dataset.label = c.head;
      const content = c.cell(row);
      if (content !== undefined && content !== null && content !== '') cell.append(content);
      tr.append(cell);
    }
    body.append(tr);
  }
  t.append(thead, body);
  const scroll = element('div', undefined, 'scroll');
  scroll.append(t);
  return scroll;
}

export function fact(name, value) {
  const div = element('div');
  const dd = element('dd');
  dd.append(value);
  div.append(element('dt', name), dd);
  return div;
}
