'use strict';

// The gateway's public API and playlists are all this page reads:
// GET /api/streams, and /stream/<id>/<rendition>.m3u8.
const streamSelect = document.getElementById('stream');
const state = document.getElementById('state');
const players = document.getElementById('players');
const rows = document.getElementById('segments');
const streamKey = document.getElementById('key');
const kept = 12;

let shown = '';          // the stream that is shown
let layout = '';         // its renditions, as text, to see when they change
let running = [];        // {hls, video, figures}

function element(name, text, className) {
  const e = document.createElement(name);
  if (text !== undefined) e.textContent = text;
  if (className) e.className = className;
  return e;
}

function player(title, detail, playlist) {
  const figure = element('figure');
  const video = element('video');
  video.muted = true;
  video.autoplay = true;
  video.controls = true;
  video.playsInline = true;
  video.setAttribute('aria-label', title);
  const caption = element('figcaption');
  const figures = element('span', '…');
  caption.append(element('strong', title), element('span', detail), figures);
  figure.append(video, caption);
  players.append(figure);
  if (Hls.isSupported()) {
    const hls = new Hls({ liveSyncDurationCount: 2, maxBufferLength: 12, backBufferLength: 8 });
    hls.on(Hls.Events.ERROR, (_, data) => {
      if (!data.fatal) return;
      figures.textContent = data.details;
      if (data.type === Hls.ErrorTypes.MEDIA_ERROR) hls.recoverMediaError();
      else setTimeout(() => { hls.loadSource(playlist); hls.startLoad(); }, 2000);
    });
    hls.loadSource(playlist);
    hls.attachMedia(video);
    running.push({ hls, video, figures });
  } else {
    video.src = playlist;   // browsers that play HLS themselves
    running.push({ hls: null, video, figures });
  }
}

function show(stream) {
  const next = JSON.stringify([stream.id, stream.renditions, stream.source.playlist]);
  if (next === layout) return;
  layout = next;
  for (const p of running) if (p.hls) p.hls.destroy();
  running = [];
  players.replaceChildren();
  if (!stream.source.unplayable) {
    const s = stream.source;
    player('source', [s.width ? `${s.width}×${s.height}` : '', s.fps ? `${round(s.fps)} fps` : '',
      s.video].filter(Boolean).join(' · '), s.playlist);
  }
  for (const r of stream.renditions) {
    if (r.unplayable) continue;
    player(r.name, `${r.width}×${r.height} · ${Math.round(r.bitrate / 1000)} kb/s asked`, r.playlist);
  }
  if (!players.children.length) players.append(element('p',
    'This stream is made of MP4 files, which players cannot join. Push .ts files to watch it.'));
}

const round = (x) => Math.round(x * 100) / 100;

function tick() {
  for (const { video, figures } of running) {
    const q = video.getVideoPlaybackQuality();
    const ahead = video.buffered.length ? video.buffered.end(video.buffered.length - 1) - video.currentTime : 0;
    if (video.videoWidth) {
      figures.textContent = `shown ${video.videoWidth}×${video.videoHeight} · ` +
        `at ${video.currentTime.toFixed(1)} s · ${ahead.toFixed(1)} s ahead · ` +
        `${q.droppedVideoFrames} of ${q.totalVideoFrames} frames dropped`;
    }
  }
}

function segmentRow(s) {
  const tr = element('tr');
  const speed = s.wallMs > 0 ? s.sourceSeconds * 1000 / s.wallMs : 0;
  const sizes = [s.sourceBytes, ...(s.renditions || []).map((r) => r.bytes)].map((b) => `${Math.round(b / 1000)} kB`);
  tr.append(
    element('td', s.number), element('td', `${round(s.sourceSeconds)} s`), element('td', `${Math.round(s.wallMs)} ms`),
    element('td', s.mediaMs ? `${Math.round(s.mediaMs)} ms` : '–'),
    element('td', `${speed.toFixed(1)}×`, speed >= 1 ? 'good' : 'bad'),
    element('td', s.orchestrator || '–'), element('td', s.attempts), element('td', sizes.join(' → ')),
    element('td', s.code || 'done', s.code ? 'bad' : 'good'));
  return tr;
}

async function refresh() {
  let streams;
  try {
    const reply = await fetch('/api/streams', streamKey.value ?
      { headers: { Authorization: `Bearer ${streamKey.value}` } } : {});
    if (reply.status === 401) {
      document.getElementById('chat').hidden = document.getElementById('keyrow').hidden = false;
      state.textContent = 'this gateway asks for a key';
      return;
    }
    if (!reply.ok) throw new Error(reply.statusText);
    ({ streams } = await reply.json());
  } catch (err) {
    state.textContent = `the gateway does not answer (${err.message})`;
    return;
  }
  const ids = streams.map((s) => s.id);
  if (!ids.includes(shown)) {
    const wanted = new URLSearchParams(location.search).get('stream');
    shown = ids.includes(wanted) ? wanted : (ids[0] || '');
  }
  if ([...streamSelect.options].map((o) => o.value).join('\n') !== ids.join('\n')) {
    streamSelect.replaceChildren(...ids.map((id) => element('option', id)));
  }
  streamSelect.value = shown;
  const stream = streams.find((s) => s.id === shown);
  if (!stream) {
    state.textContent = 'no stream yet: push segments to /live/<name>/<number>.ts';
    return;
  }
  state.textContent = `${stream.finished} segments done, ${stream.failed} failed` +
    (stream.orchestrator ? ` · by ${stream.orchestrator}` : '') +
      (stream.lastCode ? ` · last failure ${stream.lastCode}` : '');
  show(stream);
  rows.replaceChildren(...stream.segments.slice(-kept).reverse().map(segmentRow));
}

streamSelect.addEventListener('change', () => { shown = streamSelect.value; refresh(); });
setInterval(tick, 500);
setInterval(refresh, 1000);
refresh();
