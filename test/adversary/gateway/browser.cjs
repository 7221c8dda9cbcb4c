'use strict';

// Web pages in a real browser: the gateway's own page with a key, pages that bound their
// name to this machine, and pages of another site. browser_test.go starts gateway and
// attacker's site, and says where they are.
const { after, before, test } = require('node:test');
const assert = require('node:assert/strict');
const { chromium } = require('playwright-core');

const { TUTTI_OPEN, TUTTI_KEYS, TUTTI_KEY, TUTTI_SITE, TUTTI_BROWSER } = process.env;
const rebound = (url) => url.replace('127.0.0.1', 'evil.example');
let browser;

before(async () => {
  browser = await chromium.launch({
    executablePath: TUTTI_BROWSER,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--host-resolver-rules=MAP evil.example 127.0.0.1'],
  });
});
after(() => browser?.close());

// statuses are what a page of its own site gets from some addresses.
const statuses = (page, paths, init) => page.evaluate(async ([all, options]) => {
  const out = {};
  for (const path of all) out[path] = (await fetch(path, options)).status;
  return out;
}, [paths, init]);

test('a name that is bound to this machine reaches nothing', async () => {
  const page = await browser.newPage();
  await page.goto(`${rebound(TUTTI_OPEN)}/`);
  const reads = await statuses(page, ['/api/streams', '/stream/film.m3u8', '/stream/film/source/0.ts', '/v1/models']);
  const lies = await statuses(page, ['/api/streams', '/stream/film.m3u8'], { headers: { 'X-Forwarded-For': '127.0.0.1' } });
  const writes = await statuses(page, ['/v1/chat/completions', '/live/evil/0.ts', '/api/streams/film/playback'], { method: 'POST', body: '{}' });
  for (const [path, status] of Object.entries({ ...reads, ...lies, ...writes })) assert.equal(status, 403, path);
  await page.close();
});

test('a page of another site reads and spends nothing', async () => {
  const page = await browser.newPage();
  const seen = {};
  page.on('response', (r) => { if (r.url().startsWith(TUTTI_OPEN)) seen[new URL(r.url()).pathname] = r.status(); });
  await page.goto(`${rebound(TUTTI_SITE)}/`);
  await page.evaluate(async (base) => {
    for (const path of ['/v1/chat/completions', '/live/evil/0.ts']) {
      await fetch(base + path, { method: 'POST', mode: 'no-cors', body: '{}' }).catch(() => {});
    }
    for (const path of ['/stream/film.m3u8', '/api/streams']) await fetch(base + path, { mode: 'no-cors' }).catch(() => {});
    await new Promise((done) => {
      const image = new Image();
      image.onload = image.onerror = done;
      image.src = `${base}/stream/film/source/0.ts`;
    });
  }, TUTTI_OPEN);
  for (const [path, status] of Object.entries(seen)) assert.equal(status, 403, path);
  await page.close();
});

test('the gateway\'s page plays with a key, and hls.js follows signed addresses', async () => {
  const page = await browser.newPage();
  const segments = new Set();
  const refused = [];
  page.on('response', async (r) => {
    const url = new URL(r.url());
    if (!url.pathname.startsWith('/stream/')) return;
    if (r.status() !== 200) refused.push(`${r.status()} ${url}`);
    else if (url.pathname.endsWith('.ts') && url.searchParams.get('signature') && !(await r.request().allHeaders()).authorization) segments.add(url.pathname);
  });
  await page.goto(`${TUTTI_KEYS}/`);
  await page.waitForSelector('#keyrow:not([hidden])');
  assert.equal(segments.size, 0);
  await page.fill('#key', TUTTI_KEY);
  await page.waitForFunction(() => document.getElementById('stream').value === 'film');
  const end = Date.now() + 20_000;
  while (segments.size < 2 && Date.now() < end) await page.waitForTimeout(50);
  assert.ok(segments.size >= 2, `${segments.size} segments`);
  assert.deepEqual(refused, []);
  await page.close();
});
