'use strict';

// The stock OpenAI client asks a gateway for sounds, transcripts, edited images and moderation. The
// runner behind it is test/pipelines: it speaks in WAV, transcribes everything as " one two", and its
// images and ratings do not depend on what it is sent. openaimedia_test.go starts the gateway.
const { test } = require('node:test');
const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const OpenAI = require('openai');

const { TUTTI_URL, TUTTI_DEPS, TUTTI_FILES } = process.env;
const client = new OpenAI({ baseURL: `${TUTTI_URL}/v1`, apiKey: 'none', maxRetries: 0 });
const file = (name) => fs.createReadStream(path.join(TUTTI_FILES, name));
const speak = (more) => client.audio.speech.create({ model: 'test/text-to-speech', voice: 'alloy', input: 'hello', ...more });

// decoded has FFmpeg decode a sound: its codec and its length in seconds.
function decoded(bytes, options = []) {
  const name = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'sound')), 'sound');
  fs.writeFileSync(name, bytes);
  try {
    const probe = ['-v', 'error', '-of', 'csv=p=0', '-show_entries', 'stream=codec_name', ...options, name];
    const codec = execFileSync(path.join(TUTTI_DEPS, 'bin/ffprobe'), probe).toString().trim();
    const decode = ['-v', 'error', '-xerror', ...options, '-i', name, '-ac', '1', '-ar', '8000', '-f', 's16le', '-'];
    const samples = execFileSync(path.join(TUTTI_DEPS, 'bin/ffmpeg'), decode).length / 2;
    return { codec, seconds: samples / 8000 };
  } finally {
    fs.rmSync(path.dirname(name), { recursive: true });
  }
}

for (const [format, codec, type] of [
  [undefined, 'mp3', 'audio/mpeg'], ['mp3', 'mp3', 'audio/mpeg'], ['opus', 'opus', 'audio/ogg'], ['aac', 'aac', 'audio/aac'],
  ['flac', 'flac', 'audio/flac'], ['wav', 'pcm_s16le', 'audio/wav'], ['pcm', 'pcm_s16le', 'audio/pcm'],
]) {
  test(`speech as ${format ?? 'whatever is usual'}`, async () => {
    const reply = await speak(format ? { response_format: format } : {});
    assert.equal(reply.headers.get('content-type'), type);
    const raw = format === 'pcm' ? ['-f', 's16le', '-sample_rate', '24000', '-ch_layout', 'mono'] : [];
    const got = decoded(Buffer.from(await reply.arrayBuffer()), raw);
    assert.equal(got.codec, codec);
    // The runner makes 2000 samples of 44.1 kHz for each letter.
    assert.ok(Math.abs(got.seconds - 5 * 2000 / 44100) < 0.1, `${got.seconds} s`);
  });
}

test('a format that no model makes is refused by name', async () => {
  await assert.rejects(speak({ response_format: 'ogg' }), (err) => {
    assert.ok(err instanceof OpenAI.BadRequestError, String(err));
    assert.equal(err.param, 'response_format');
    return true;
  });
});

const transcribe = (more) => client.audio.transcriptions.create({ model: 'test/audio-to-text', file: file('sound.wav'), ...more });

test('transcripts in all formats', async () => {
  assert.equal((await transcribe({})).text, ' one two');
  assert.equal(await transcribe({ response_format: 'text' }), ' one two\n');
  assert.match(await transcribe({ response_format: 'srt' }), /^1\n00:00:00,000 --> 00:00:01,500\none\n/);
  assert.match(await transcribe({ response_format: 'vtt' }), /^WEBVTT\n\n00:00:00.000 --> 00:00:01.500\none\n/);
  const verbose = await transcribe({ response_format: 'verbose_json' });
  assert.equal(verbose.segments.length, 2);
  assert.equal(verbose.segments[0].end, 1.5);
});

test('a streamed transcript', async () => {
  let deltas = '';
  let done;
  for await (const event of await transcribe({ stream: true })) {
    if (event.type === 'transcript.text.delta') deltas += event.delta;
    if (event.type === 'transcript.text.done') done = event.text;
  }
  assert.equal(deltas, ' one two');
  assert.equal(done, ' one two');
});

test('translations are refused', async () => {
  await assert.rejects(client.audio.translations.create({ model: 'test/audio-to-text', file: file('sound.wav') }),
    OpenAI.BadRequestError);
});

test('an edit with a mask and a size', async () => {
  const reply = await client.images.edit({
    model: 'test/image-to-image', image: file('image.png'), mask: file('mask.png'), prompt: 'a cat', size: '64x64',
    response_format: 'b64_json',
  });
  const png = Buffer.from(reply.data[0].b64_json, 'base64');
  assert.equal(png.readUInt32BE(16), 64);
  assert.equal(png.readUInt32BE(20), 64);
});

test('moderation', async () => {
  const reply = await client.moderations.create({ input: ['hello', 'I will hurt you'] });
  assert.deepEqual(reply.results.map((r) => r.flagged), [false, true]);
  assert.equal(reply.results[1].categories.violence, true);
  assert.equal(reply.results[1].category_scores.violence, 0.9);
});
