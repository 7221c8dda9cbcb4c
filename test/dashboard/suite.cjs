'use strict';

// The operator's page in a real browser. dashboard_test.go starts the node, says where
// it is, and changes it when this asks at TUTTI_CONTROL. TUTTI_SHOTS is a folder for
// pictures of every view, to be looked at.
const { after, before, test } = require('node:test');
const assert = require('node:assert/strict');
const { readFileSync } = require('node:fs');
const { chromium } = require('playwright-core');

const { TUTTI_URL, TUTTI_TOKEN, TUTTI_CONTROL, TUTTI_BROWSER, TUTTI_SHOTS } = process.env;
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const views = ['overview', 'work', 'why', 'money', 'keys', 'onchain', 'log', 'settings'];
let browser;

before(async () => {
  browser = await chromium.launch({ executablePath: TUTTI_BROWSER, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] });
});
after(() => browser?.close());

async function control(path, fields = {}) {
  const reply = await fetch(`${TUTTI_CONTROL}/${path}`, { method: 'POST', body: new URLSearchParams(fields) });
  assert.equal(reply.status, 200);
}

// open loads the page and collects all that a browser complains of.
async function open(options = {}) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const complaints = [];
  page.on('console', (m) => { if (['error', 'warning'].includes(m.type())) complaints.push(m.text()); });
  page.on('pageerror', (e) => complaints.push(String(e)));
  await page.goto(`${TUTTI_URL}/`);
  await page.waitForSelector('#pulse.live');
  return { page, complaints, close: () => context.close() };
}

async function go(page, view) {
  await page.evaluate((v) => { location.hash = v; }, view);
  await page.waitForFunction((v) => !document.getElementById(`view-${v}`).hidden, view);
}

test('it loads without a complaint, and from this node alone', async () => {
  const { page, complaints, close } = await open();
  const elsewhere = [], missing = [];
  page.on('response', (r) => { if (r.status() >= 400) missing.push(new URL(r.url()).pathname); });
  page.on('request', (r) => { if (!r.url().startsWith(TUTTI_URL)) elsewhere.push(r.url()); });
  await page.reload();
  await page.waitForSelector('#pulse.live');
  await page.waitForSelector('#plots canvas');
  for (const view of views) {
    await go(page, view);
    await page.waitForTimeout(150);
  }
  assert.deepEqual(elsewhere, []);
  // This node has no books, which the money view asks for.
  assert.deepEqual([...new Set(missing)].sort(), ['/api/v1/gateways', '/api/v1/income/overview', '/api/v1/prices', '/api/v1/tickets']);
  assert.deepEqual(complaints.filter((c) => !c.includes('404')), []);
  assert.match(await page.textContent('#who'), /orchestrator/);
  await close();
});

test('the plots are as wide as their place, also when it was hidden while they were drawn', async () => {
  const { page, close } = await open({ viewport: { width: 1200, height: 900 } });
  const fit = () => page.waitForFunction(() => {
    const all = [...document.querySelectorAll('#plots figure:not([hidden]) > div')];
    return all.length > 0 && all.every((e) => e.clientWidth > 200 &&
      Math.abs(e.querySelector('.uplot')?.clientWidth - e.clientWidth) < 2);
  }, undefined, { timeout: 10000 });
  await fit();
  for (const change of [() => page.emulateMedia({ colorScheme: 'dark' }),
    () => page.setViewportSize({ width: 1000, height: 900 }), () => page.reload()]) {
    await go(page, 'work');
    await change();
    await page.waitForSelector('#pulse.live');
    await go(page, 'overview');
    await fit();
  }
  await close();
});

test('a condition is shown with its remedy, said aloud once, and goes again, without a reload', async () => {
  const { page, close } = await open();
  await page.evaluate(() => { window.same = true; });
  assert.match(await page.textContent('#gate-title'), /Taking work/);
  await control('set', { code: 'PortClosed', about: 'https://o.example:8935', detail: 'connection refused from outside' });
  await page.waitForSelector('article.trouble:has-text("PortClosed")');
  const text = await page.textContent('article.trouble:has-text("PortClosed")');
  assert.match(text, /connection refused from outside/);
  assert.match(text, /What to do: \S+/);
  assert.match(text, /critical/);
  await page.waitForFunction(() => document.getElementById('news').textContent.includes('PortClosed'));
  assert.match(await page.title(), /^\(1\)/);
  await control('door', { reason: '40 of 40 in use' });
  await page.waitForFunction(() => document.getElementById('gate-reason').textContent.includes('40 of 40 in use'));
  await control('door');
  await control('clear', { code: 'PortClosed', about: 'https://o.example:8935' });
  await page.waitForSelector('article.trouble', { state: 'detached' });
  assert.equal(await page.evaluate(() => window.same), true, 'the page was loaded again');
  await close();
});

test('the log grows, and is narrowed by level and text', async () => {
  const { page, close } = await open();
  await go(page, 'log');
  await control('say', { level: 'info', text: 'a stream <b>came</b>' });
  await control('say', { level: 'error', text: 'something of ours broke' });
  await page.waitForSelector('#lines p.error:has-text("something of ours broke")');
  assert.equal(await page.locator('#lines b').count(), 0, 'text is text');
  await page.selectOption('#level', 'error');
  await page.waitForFunction(() => [...document.querySelectorAll('#lines p')].every((p) => p.className === 'error'));
  await close();
});

test('everything is reached with the keyboard, and the focus is seen', async () => {
  const { page, close } = await open();
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.className), 'skip');
  for (const name of ['Overview', 'Work']) {
    await page.keyboard.press('Tab');
    assert.match(await page.evaluate(() => document.activeElement.textContent), new RegExp(name));
    const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
    assert.notEqual(outline, 'none');
  }
  await page.keyboard.press('Enter');
  await page.waitForSelector('#view-work:not([hidden])');
  assert.equal(await page.getAttribute('nav a[href="#work"]', 'aria-current'), 'page');
  await close();
});

test('the token opens changes, stays in its page, and a wrong one does not', async () => {
  const { page, close } = await open();
  await go(page, 'work');
  assert.equal(await page.locator('button:visible').count(), 0, 'no button without the token');
  await go(page, 'settings');
  await page.fill('#token', 'wrong');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => /AdminTokenRefused/.test(document.getElementById('news').textContent));
  await page.fill('#token', TUTTI_TOKEN);
  await page.keyboard.press('Enter');
  await page.waitForSelector('#log-level');
  await go(page, 'work');
  await page.click('button[aria-label="Drain rig7"]');
  await page.click('dialog button:has-text("Leave it")');
  await page.waitForSelector('dialog', { state: 'detached' });
  await page.waitForSelector('button[aria-label="Drain rig7"]');
  await page.click('button[aria-label="Drain rig7"]');
  await page.click('dialog button:has-text("Drain")');
  await page.waitForSelector('button[aria-label="Resume rig7"]');
  await page.click('button[aria-label="Resume rig7"]');
  await page.waitForSelector('button[aria-label="Drain rig7"]');
  const rows = () => page.$$eval('#capabilities tbody tr', (all) => all.map((r) => r.textContent.replace(/\s+/g, ' ')));
  assert.match((await rows()).join('\n'), /speak.*not ready.*the rate of its currency is not known.*\n.*upscale.*1 of 4.*5000000000 wei.*33 170/);
  await page.click('button[aria-label="Remove upscale"]');
  await page.click('dialog button:has-text("Remove")');
  await page.waitForFunction(() => document.querySelectorAll('#capabilities tbody tr').length === 1);
  await go(page, 'settings');
  await page.click('button[aria-label="Drain the node"]');
  assert.match(await page.textContent('dialog'), /goes on to its end/);
  await page.click('dialog button:has-text("Drain the node")');
  await page.waitForFunction(() => document.getElementById('gate-title').textContent.startsWith('Draining'));
  await page.waitForFunction(() => document.getElementById('news').textContent.includes('Draining'));
  await page.click('button[aria-label="Take work again"]');
  await page.waitForFunction(() => document.getElementById('gate-title').textContent.startsWith('Taking work'));
  if (TUTTI_SHOTS) await page.screenshot({ path: `${TUTTI_SHOTS}/operate.png` });
  assert.equal(await page.evaluate(() => localStorage.length + sessionStorage.length + document.cookie.length), 0);
  await page.reload();   // as the page does by itself where another program answers
  await go(page, 'settings');
  await page.waitForSelector('#token');
  await close();
});

test('API keys are seen by everyone, and made, limited and revoked with the token alone', async () => {
  const { page, complaints, close } = await open();
  const rows = () => page.$$eval('#keys tbody tr', (all) => all.map((r) => r.textContent.replace(/\s+/g, ' ')));
  const has = (text) => page.waitForFunction((t) => document.getElementById('keys').textContent.includes(t), text);
  await go(page, 'keys');
  await has('85 %');
  assert.match((await rows())[0], /app.*good.*100 gwei.*per month.*85 %.*20 gwei.*85 gwei.*1.204.*3 today/);
  assert.equal(await page.locator('#view-keys button').count() + await page.locator('#view-keys input').count(), 0);
  await go(page, 'settings');
  await page.fill('#token', TUTTI_TOKEN);
  await page.keyboard.press('Enter');
  await page.waitForSelector('#log-level');
  await go(page, 'keys');
  await page.waitForSelector('#key-name');
  await page.fill('#key-name', 'app');
  await page.fill('#key-rpm', '60');
  await page.click('button:has-text("Create key")');
  await page.waitForFunction(() => /KeyNameTaken/.test(document.getElementById('news').textContent));
  await page.fill('#key-name', 'web');
  await page.click('button:has-text("Create key")');
  await page.waitForFunction(() => document.getElementById('key-secret').textContent.includes('tk-secret-of-web'));
  await has('60 requests/min');
  await page.click('button[aria-label="Limits of app"]');
  await page.fill('#key-rpm', '7');
  await page.click('button:has-text("Change limits")');
  await has('7 requests/min');
  assert.match(await page.textContent('#key-secret'), /tk-secret-of-web/);
  await go(page, 'work');
  await go(page, 'keys');
  await has('60 requests/min');
  assert.ok(!(await page.content()).includes('tk-secret'), 'a secret stays after its view was left');
  await page.click('button[aria-label="Revoke web"]');
  await page.click('dialog button:has-text("Revoke")');
  await has('revoked');
  assert.deepEqual(complaints.filter((c) => !c.includes('400')), []);   // the name that is taken
  await close();
});

// sound looks at every view as it stands: in the dark only colors differ.
async function sound(page, name, colorScheme) {
  const runOnly = colorScheme === 'light' ? ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] : { type: 'rule', values: ['color-contrast'] };
  await page.emulateMedia({ colorScheme });
  for (const view of views) {
    await go(page, view);
    await page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); }));
    if (TUTTI_SHOTS) await page.screenshot({ path: `${TUTTI_SHOTS}/${name}-${colorScheme}-${view}.png`, fullPage: true });
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(over <= 0, `${view} is ${over} pixels wider than the window`);
    const { violations } = await page.evaluate((only) => window.axe.run(document, { runOnly: only, resultTypes: ['violations'] }), runOnly);
    assert.deepEqual(violations.map((v) => `${view}: ${v.id}: ${v.nodes.map((n) => n.html.slice(0, 160)).join(' | ')}`), []);
  }
}

for (const [name, width, height] of [['phone', 390, 844], ['desk', 1440, 900]]) {
  test(`every view is sound on a ${name}`, async () => {
    await control('set', { code: 'PortClosed', about: 'https://o.example:8935', detail: 'connection refused from outside' });
    await control('set', { code: 'RPCStale', detail: 'no new block for 94 s' });
    const { page, close } = await open({ viewport: { width, height }, deviceScaleFactor: name === 'phone' ? 2 : 1 });
    await page.waitForSelector('article.trouble:has-text("PortClosed")');
    await page.waitForSelector('#plots canvas');
    await page.evaluate(axe);
    for (const colorScheme of ['light', 'dark']) await sound(page, name, colorScheme);
    await close();
    await control('clear', { code: 'PortClosed', about: 'https://o.example:8935' });
    await control('clear', { code: 'RPCStale' });
  });
}

test('why no jobs is a page, with what to do', async () => {
  const { page, close } = await open();
  await page.click('nav a[href="#why"]');
  await page.waitForSelector('#findings article.critical:has-text("What to do: Open TCP port 8935")');
  assert.equal(await page.locator('#findings article').count(), 3);
  await close();
});

test('a healthy endpoint is green, and a figure that is not well says what to do', async () => {
  const { page, close } = await open();
  await go(page, 'onchain');
  assert.equal(await page.locator('#endpoints span.good:has-text("serving")').count(), 1);
  await go(page, 'overview');
  assert.match(await page.textContent('#tiles div:has(dd.bad)'), /behind real time.*Lower -maxSessions/);
  await close();
});
