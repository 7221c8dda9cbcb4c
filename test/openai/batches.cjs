'use strict';

// The stock OpenAI client's files and batches against a gateway whose model follows a script (see
// test/e2e/batches_test.go, which starts both and says where they are).
const { test } = require('node:test');
const assert = require('node:assert/strict');
const OpenAI = require('openai');

const { TUTTI_URL, TUTTI_KEY, TUTTI_OTHER_KEY, TUTTI_MODEL: model } = process.env;
const at = (apiKey) => new OpenAI({ baseURL: `${TUTTI_URL}/v1`, apiKey, maxRetries: 0 });
const client = at(TUTTI_KEY);
const other = at(TUTTI_OTHER_KEY);

const chat = (id, content) => ({
  custom_id: id, method: 'POST', url: '/v1/chat/completions',
  body: { model, max_tokens: 50, messages: [{ role: 'user', content }] },
});
const respond = (id, input) => ({
  custom_id: id, method: 'POST', url: '/v1/responses', body: { model, max_output_tokens: 50, input },
});
const upload = async (lines, options) => client.files.create({
  file: await OpenAI.toFile(Buffer.from(lines.map((l) => JSON.stringify(l) + '\n').join('')), 'in.jsonl'),
  purpose: 'batch', ...options,
});
const create = (file, more) => client.batches.create({
  input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h', ...more,
});
async function end(batch) {
  for (let i = 0; i < 600; i++) {
    const b = await client.batches.retrieve(batch.id);
    if (['completed', 'failed', 'expired', 'cancelled'].includes(b.status)) return b;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error(`the batch ${batch.id} does not end`);
}
const read = async (id) => Object.fromEntries((await (await client.files.content(id)).text()).trim().split('\n')
  .map((l) => JSON.parse(l)).map((l) => [l.custom_id, l]));
const refuses = (status, code, param) => (err) => {
  assert.equal(err.status, status, String(err));
  assert.equal(err.code, code);
  if (param !== undefined) assert.equal(err.param, param);
  return true;
};

test('a batch has one answer a line', async () => {
  const file = await upload([chat('one', 'say one'), chat('no', 'refuse this'), chat('two', 'say two')]);
  assert.equal(file.object, 'file');
  assert.equal(file.purpose, 'batch');
  assert.equal(file.filename, 'in.jsonl');
  assert.equal((await client.files.waitForProcessing(file.id)).status, 'processed');
  const begun = await create(file, { metadata: { topic: 'x' } });
  assert.equal(begun.object, 'batch');
  assert.equal(begun.status, 'validating');
  assert.equal(begun.expires_at - begun.created_at, 24 * 3600);
  const b = await end(begun);
  assert.equal(b.status, 'completed');
  assert.deepEqual(b.request_counts, { total: 3, completed: 2, failed: 1 });
  assert.deepEqual(b.metadata, { topic: 'x' });
  assert.ok(b.in_progress_at && b.finalizing_at && b.completed_at);
  const good = await read(b.output_file_id);
  assert.deepEqual(Object.keys(good).sort(), ['one', 'two']);
  assert.equal(good.one.response.status_code, 200);
  assert.equal(good.one.response.body.choices[0].message.content, '1 messages, the last: say one');
  assert.ok(good.one.response.body.usage.completion_tokens > 0);
  assert.equal(good.one.error, null);
  const bad = await read(b.error_file_id);
  assert.deepEqual(Object.keys(bad), ['no']);
  assert.equal(bad.no.response.status_code, 400);
  assert.match(bad.no.response.body.error.message, /the script refuses this/);
  assert.equal((await client.files.retrieve(b.output_file_id)).purpose, 'batch_output');
  await client.files.delete(b.output_file_id);
  await assert.rejects(client.files.content(b.output_file_id), refuses(404, 'FileUnknown'));
});

test('responses go through a batch too, and belong to the key', async () => {
  const file = await upload([respond('r', 'say hello')]);
  const b = await end(await create(file, { endpoint: '/v1/responses' }));
  const answer = (await read(b.output_file_id)).r.response.body;
  assert.equal(answer.object, 'response');
  assert.equal(answer.output[0].content[0].text, '1 messages, the last: say hello');
  assert.equal((await client.responses.retrieve(answer.id)).id, answer.id);
  await assert.rejects(other.responses.retrieve(answer.id), refuses(404, 'ResponseUnknown'));
});

test('another key has none of it', async () => {
  const file = await upload([chat('one', 'say one')]);
  const b = await end(await create(file));
  await assert.rejects(other.files.retrieve(file.id), refuses(404, 'FileUnknown'));
  await assert.rejects(other.files.content(b.output_file_id), refuses(404, 'FileUnknown'));
  await assert.rejects(other.files.delete(file.id), refuses(404, 'FileUnknown'));
  await assert.rejects(other.batches.retrieve(b.id), refuses(404, 'BatchUnknown'));
  await assert.rejects(other.batches.cancel(b.id), refuses(404, 'BatchUnknown'));
  await assert.rejects(other.batches.create({ input_file_id: file.id, endpoint: '/v1/chat/completions',
    completion_window: '24h' }), refuses(404, 'FileUnknown'));
  for await (const f of other.files.list()) assert.fail(f.id);
  for await (const f of other.batches.list()) assert.fail(f.id);
  await assert.rejects(at('tk-nobody-0123456789abcdef').files.list(), refuses(401, 'KeyUnknown'));
});

test('lists have pages', async () => {
  const made = [];
  for (const n of ['a', 'b', 'c']) made.push(await create(await upload([chat(n, `say ${n}`)])));
  const all = [];
  for await (const b of client.batches.list({ limit: 2 })) all.push(b.id);
  for (const b of made) assert.equal(all.filter((id) => id === b.id).length, 1);
  const files = [];
  for await (const f of client.files.list({ purpose: 'batch', limit: 2 })) files.push(f.id);
  assert.equal(new Set(files).size, files.length);
  for (const b of made) assert.ok(files.includes(b.input_file_id));
  for (const b of made) await end(b);
});

test('a batch can be cancelled', async () => {
  const file = await upload([chat('slow', 'wait for the cancel'), ...Array.from({ length: 30 },
    (_, i) => chat(`n${i}`, 'wait for the cancel'))]);
  const begun = await create(file);
  for (let b = begun; b.status !== 'in_progress'; b = await client.batches.retrieve(begun.id)) {
    assert.equal(b.status, 'validating');
  }
  assert.equal((await client.batches.cancel(begun.id)).status, 'cancelling');
  const b = await end(begun);
  assert.equal(b.status, 'cancelled');
  assert.equal(b.request_counts.completed + b.request_counts.failed, 31);
  const bad = await read(b.error_file_id);
  assert.equal(bad.n29.error.code, 'batch_cancelled');
  assert.equal(bad.n29.response, null);
  await assert.rejects(client.batches.cancel(begun.id), refuses(400, 'BatchEnded'));
});

test('what is not there is refused by name', async () => {
  const file = await upload([chat('x', 'x')]);
  await assert.rejects(create(file, { endpoint: '/v1/images/generations' }), refuses(400, 'RequestUnreadable', 'endpoint'));
  await assert.rejects(create(file, { completion_window: '1h' }), refuses(400, 'RequestUnreadable', 'completion_window'));
  await assert.rejects(upload([], { purpose: 'fine-tune' }), refuses(400, 'RequestUnreadable', 'purpose'));
  const twice = await end(await create(await upload([chat('x', 'x'), chat('x', 'y')])));
  assert.equal(twice.status, 'failed');
  assert.equal(twice.errors.data[0].code, 'duplicate_custom_id');
  assert.equal(twice.errors.data[0].line, 2);
});
