'use strict';

// Publishes a stream by WHIP, shows the result by WHEP, and lists who is paid for it: /parties.json.
const id = (name) => document.getElementById(name);
const calls = '/live/video-to-video/';
const [width, height, fps] = [640, 360, 30];
const state = (text, bad) => { id('state').textContent = text; id('state').className = bad ? 'bad' : ''; };

let live = null;        // {whip, whep, media, stop} of the stream that is published
let pictures = 0;       // pictures of the result that were shown
let shownAt = 0;        // when the last one was, in milliseconds
let frozen = 0;         // the longest time between two of them since the stream began or something was killed

// connected offers a connection to an address with all its candidates, as WHIP and WHEP want it.
async function connect(pc, url) {
  await pc.setLocalDescription();
  if (pc.iceGatheringState !== 'complete') {
    await new Promise((done) => {
      pc.addEventListener('icegatheringstatechange', () => { if (pc.iceGatheringState === 'complete') done(); });
    });
  }
  const reply = await fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/sdp' },
    body: pc.localDescription.sdp });
  if (!reply.ok) throw new Error(`${reply.status} ${(await reply.text()).trim()}`);
  await pc.setRemoteDescription({ type: 'answer', sdp: await reply.text() });
}

// drawnStream is a clock with moving discs.
function drawnStream() {
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const c = canvas.getContext('2d');
  const draw = () => {
    const now = performance.now();
    c.fillStyle = '#204a87';
    c.fillRect(0, 0, width, height);
    ['#ef2929', '#fce94f', '#8ae234', '#ad7fa8'].forEach((color, i) => {
      c.fillStyle = color;
      c.beginPath();
      c.arc(width / 2 + 220 * Math.cos(now / 900 + i * 1.6), height / 2 + 110 * Math.sin(now / 700 + i * 1.6),
        46, 0, 7);
      c.fill();
    });
    c.fillStyle = '#fff';
    c.font = '48px sans-serif';
    c.fillText(new Date().toISOString().slice(11, 21), 210, 195);
  };
  const timer = setInterval(draw, 1000 / fps);
  draw();
  return { media: canvas.captureStream(fps), stop: () => clearInterval(timer) };
}

async function cameraStream() {
  const media = await navigator.mediaDevices.getUserMedia({ video: { width, height, frameRate: fps }, audio: true })
    .catch(() => navigator.mediaDevices.getUserMedia({ video: { width, height, frameRate: fps } }));   // no microphone
  return { media, stop: () => media.getTracks().forEach((t) => t.stop()) };
}

async function watch() {
  const pc = new RTCPeerConnection();
  const media = new MediaStream();
  pc.addEventListener('track', ({ track, receiver }) => {
    // Pictures come a segment at a time: a player that waits for one shows them evenly.
    if ('jitterBufferTarget' in receiver) receiver.jitterBufferTarget = 2500;
    media.addTrack(track);
  });
  pc.addTransceiver('video', { direction: 'recvonly' });
  pc.addTransceiver('audio', { direction: 'recvonly' });
  id('result').srcObject = media;
  await connect(pc, `${calls}camera-out/whep`);
  return pc;
}

async function publish(source) {
  stop();
  for (const button of ['camera', 'drawn']) id(button).disabled = true;
  try {
    live = await source();
    id('source').srcObject = live.media;
    state('publishing …');
    shownAt = frozen = 0;
    live.whip = new RTCPeerConnection();
    for (const track of live.media.getTracks()) live.whip.addTransceiver(track,
      { direction: 'sendonly', streams: [live.media] });
    const params = encodeURIComponent(JSON.stringify({ effect: id('effect').value }));
    await connect(live.whip, `${calls}camera/whip?pipeline=sample&streamId=camera&params=${params}`);
    for (const button of ['stop', 'kill', 'killrunner']) id(button).disabled = false;
    state('waiting for the first picture …');
    live.whep = await watch();
    live.whep.addEventListener('connectionstatechange', () => {
      if (live && live.whep.connectionState === 'failed') state('the viewer\'s connection is gone', true);
    });
    state('live');
  } catch (err) {
    stop();
    state(err.message, true);
  }
}

function stop() {
  for (const button of ['camera', 'drawn']) id(button).disabled = false;
  for (const button of ['stop', 'kill', 'killrunner']) id(button).disabled = true;
  if (!live) return;
  for (const pc of [live.whip, live.whep]) if (pc) pc.close();
  live.stop();
  live = null;
  state('not published');
}

function counted(now) {
  pictures++;
  if (shownAt) frozen = Math.max(frozen, now - shownAt);
  shownAt = now;
  id('result').requestVideoFrameCallback(counted);
}

function row(o) {
  const tr = document.createElement('tr');
  const text = [o.url, o.serving && o.running ? 'serves the stream' : o.running ? 'ready' : 'killed', o.tickets,
    `${o.paid} wei`];
  text.forEach((t, i) => {
    const td = document.createElement('td');
    td.textContent = t;
    if (i === 1) td.className = !o.running ? 'bad' : o.serving ? 'good' : '';
    tr.append(td);
  });
  return tr;
}

async function refresh() {
  const reply = await fetch('parties.json').catch(() => null);
  if (!reply || !reply.ok) return;   // a process that was killed is on its way back
  const all = await reply.json();
  id('parties').replaceChildren(...all.map(row));
  id('tickets').textContent = all.reduce((n, o) => n + o.tickets, 0);
  id('paid').textContent = `${all.reduce((n, o) => n + BigInt(o.paid), 0n)} wei`;
}

function figures() {
  const video = id('result');
  if (id('source').videoWidth) id('sent').textContent = `${id('source').videoWidth}×${id('source').videoHeight}`;
  if (!video.videoWidth) return;
  id('shown').textContent = `${video.videoWidth}×${video.videoHeight} · ${pictures} pictures · ` +
    `at ${video.currentTime.toFixed(1)} s · longest pause ${(frozen / 1000).toFixed(1)} s`;
}

id('camera').addEventListener('click', () => publish(cameraStream));
id('drawn').addEventListener('click', () => publish(drawnStream));
id('stop').addEventListener('click', stop);
id('effect').addEventListener('change', () => {
  if (live) fetch(`${calls}camera/update`, { method: 'POST', body: JSON.stringify({ effect: id('effect').value }) });
});
for (const [button, what, after] of [
  ['kill', 'orchestrator', 'the orchestrator was killed; the stream goes on at the other one'],
  ['killrunner', 'runner', 'the runner was killed; the stream goes on with a new one'],
]) {
  id(button).addEventListener('click', async () => {
    const reply = await fetch(`kill?what=${what}`, { method: 'POST' });
    frozen = 0;
    state(reply.ok ? after : await reply.text(), !reply.ok);
  });
}
id('result').requestVideoFrameCallback(counted);
setInterval(figures, 500);
setInterval(refresh, 1000);
refresh();
