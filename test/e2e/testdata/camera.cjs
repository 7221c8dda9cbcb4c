'use strict';

// Live video in a real browser. livecamera_test.go starts the nodes and says where the pages are. TUTTI_SHOTS is a
// folder for pictures, to be looked at.
const { after, before, test } = require('node:test');
const assert = require('node:assert/strict');
const { chromium } = require('playwright-core');

/* global pictures, live, frozen: the page's own */
const { TUTTI_PAGE, TUTTI_GUIDE, TUTTI_BROWSER, TUTTI_SHOTS, TUTTI_LOAD } = process.env;
// longest is for how many milliseconds one picture may be shown when a process is killed: 2 s, or as much longer as
// processes wait for a core.
const longest = 2000 * TUTTI_LOAD;
let browser;

before(async () => {
  browser = await chromium.launch({
    executablePath: TUTTI_BROWSER,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'],
  });
});
after(() => browser?.close());

async function open(url) {
  const page = await browser.newPage({ viewport: { width: 1200, height: 760 } });
  const broken = [];
  page.on('pageerror', (e) => broken.push(String(e)));
  await page.goto(url);
  return { page, broken };
}

const shot = async (page, name) => { if (TUTTI_SHOTS) await page.screenshot({ path: `${TUTTI_SHOTS}/${name}.png` }); };

// corner is the color of the result near its corner, as the browser decoded it.
const corner = (page) => page.evaluate(() => {
  const canvas = Object.assign(document.createElement('canvas'), { width: 64, height: 36 });
  const c = canvas.getContext('2d');
  c.drawImage(document.getElementById('result'), 0, 0, 64, 36);
  return [...c.getImageData(2, 2, 1, 1).data].slice(0, 3);
});

// serving waits for an orchestrator that serves the stream, and returns its address.
async function serving(page) {
  const row = await page.waitForFunction(() => [...document.querySelectorAll('#parties tr')]
    .find((r) => r.cells[1].textContent === 'serves the stream')?.cells[0].textContent, undefined, { timeout: 30_000 });
  return row.jsonValue();
}

// shows waits until the page has shown 8 s more of the stream, and returns for how long one picture stayed meanwhile, in
// milliseconds.
async function shows(page) {
  const [had, at] = await page.evaluate(() => [pictures, document.getElementById('result').currentTime]);
  await page.waitForFunction(([n, t]) => pictures > n + 150 && document.getElementById('result').currentTime > t + 8, [had, at], { timeout: 40_000 })
    .catch(async (e) => { throw new Error(`${e.message} ${JSON.stringify(await figures(page))}`); });
  return page.evaluate(() => frozen);
}

// figures are what the page and its connections say of themselves, for a test that fails.
const figures = (page) => page.evaluate(async () => {
  const out = { pictures, at: document.getElementById('result').currentTime, state: document.getElementById('state').textContent };
  for (const [name, pc] of [['whip', live?.whip], ['whep', live?.whep]]) {
    if (pc) out[name] = [pc.connectionState, ...[...(await pc.getStats()).values()].filter((s) => s.type.endsWith('bound-rtp') && s.kind === 'video')];
  }
  return out;
});

// killed presses a button that kills something. The stream goes on over the same connection, and no picture stays.
async function killed(page, button, before) {
  await page.click(button);
  await page.waitForFunction(() => document.getElementById('state').textContent.includes('was killed'));
  const pause = await shows(page);
  const [connection, same] = await page.evaluate(() => [live.whep.connectionState, window.connection === live.whep]);
  assert.deepEqual([connection, same], ['connected', true], button);
  console.log(`${button}: one picture was shown for ${Math.round(pause)} ms, before for ${Math.round(before)} ms, allowed are ${Math.round(longest)} ms`);
  assert.ok(pause <= longest, `${button}: one picture was shown for ${pause} ms`);
}

test('the demonstration\'s page plays on while the runner and the orchestrator are killed, and counts tickets of both', async () => {
  const { page, broken } = await open(TUTTI_PAGE);
  await page.selectOption('#effect', 'negative');
  // Before the orchestrators have seen the gateway's deposit they take no stream.
  for (const end = Date.now() + 60_000; ; ) {
    await page.click('#drawn');
    await page.waitForFunction(() => document.getElementById('state').textContent === 'live' || document.getElementById('state').className === 'bad');
    if (await page.textContent('#state') === 'live') break;
    assert.ok(Date.now() < end, await page.textContent('#state'));
    await page.waitForTimeout(500);
  }
  await page.waitForFunction(() => pictures > 60, undefined, { timeout: 30_000 });
  const seen = await corner(page);
  [223, 181, 120].forEach((want, i) => assert.ok(Math.abs(seen[i] - want) < 40, `the picture's corner is ${seen}: no negative of #204a87`));
  await page.waitForFunction(() => [...document.querySelectorAll('#parties tr')].some((r) => r.cells[1].textContent === 'serves the stream' && +r.cells[2].textContent > 0), undefined, { timeout: 20_000 });
  await shot(page, 'before');
  const first = await serving(page);
  await page.evaluate(() => { window.connection = live.whep; });
  await page.evaluate(() => { frozen = 0; });
  const before = await shows(page);
  await killed(page, '#killrunner', before);
  assert.equal(await serving(page), first, 'the stream left the orchestrator whose runner was killed');
  await killed(page, '#kill', before);
  await page.waitForFunction((f) => [...document.querySelectorAll('#parties tr')].every((r) => +r.cells[2].textContent > 0
    && (r.cells[0].textContent === f ? r.cells[1].textContent === 'killed' : r.cells[1].textContent === 'serves the stream')), first, { timeout: 40_000 });
  // One reading of both: the page counts on.
  const [total, rows] = await page.evaluate(() => [+document.getElementById('tickets').textContent,
    [...document.querySelectorAll('#parties tr')].map((r) => +r.cells[2].textContent)]);
  assert.equal(total, rows.reduce((n, tickets) => n + tickets, 0));
  await shot(page, 'after');
  await page.click('#stop');
  assert.deepEqual(broken, []);
  await page.close();
});

test('the page of the guide publishes a camera and shows the result', async () => {
  const { page, broken } = await open(TUTTI_GUIDE);
  await page.waitForFunction(() => {
    const video = document.getElementById('result');
    return video.currentTime > 2 && video.getVideoPlaybackQuality().totalVideoFrames > 30 && video.videoWidth === 640;
  }, undefined, { timeout: 40_000 });
  await shot(page, 'guide');
  assert.deepEqual(broken, []);
  await page.close();
});
