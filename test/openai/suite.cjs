'use strict';

// The stock OpenAI client against a gateway whose model counts: it answers every
// prompt with " one two three …" (see test/tinymodel). openai_test.go starts the
// gateway and says where it is.
const { test } = require('node:test');
const assert = require('node:assert/strict');
const OpenAI = require('openai');

const { TUTTI_URL, TUTTI_KEY, TUTTI_MODEL } = process.env;
const client = new OpenAI({ baseURL: `${TUTTI_URL}/v1`, apiKey: TUTTI_KEY, maxRetries: 0 });
const hello = [{ role: 'user', content: 'hi' }];
const ask = (more, options) => client.chat.completions.create({ model: TUTTI_MODEL, messages: hello, ...more }, options);

async function collect(stream) {
  const got = { text: '', events: 0, finish: null, usage: null };
  for await (const chunk of stream) {
    got.events++;
    got.text += chunk.choices[0]?.delta?.content ?? '';
    got.finish = chunk.choices[0]?.finish_reason ?? got.finish;
    got.usage = chunk.usage ?? got.usage;
    if (chunk.choices.length === 0) got.bare = true;
  }
  return got;
}

test('a completion has text, usage and a finish reason', async () => {
  const reply = await ask({ max_tokens: 5 });
  assert.equal(reply.object, 'chat.completion');
  assert.equal(reply.choices[0].message.role, 'assistant');
  assert.equal(reply.choices[0].message.content, ' one two three four five');
  assert.equal(reply.choices[0].finish_reason, 'length');
  assert.equal(reply.usage.completion_tokens, 5);
  assert.equal(reply.usage.total_tokens, reply.usage.prompt_tokens + 5);
});

test('max_completion_tokens bounds an answer too', async () => {
  const reply = await ask({ max_completion_tokens: 3 });
  assert.equal(reply.choices[0].message.content, ' one two three');
});

test('a stop string ends the answer', async () => {
  const reply = await ask({ max_tokens: 50, stop: ['four'] });
  assert.equal(reply.choices[0].message.content.trim(), 'one two three');
  assert.equal(reply.choices[0].finish_reason, 'stop');
});

test('content may be parts of text', async () => {
  const reply = await client.chat.completions.create({
    model: TUTTI_MODEL, max_tokens: 2, messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
  });
  assert.equal(reply.choices[0].message.content, ' one two');
});

test('a stream gives the same text in pieces, and no usage that was not asked for', async () => {
  const got = await collect(await ask({ max_tokens: 8, stream: true }));
  assert.equal(got.text, ' one two three four five six seven eight');
  assert.equal(got.finish, 'length');
  assert.ok(got.events > 3, `${got.events} events`);
  assert.equal(got.bare, undefined);
});

test('a stream gives usage when asked', async () => {
  const got = await collect(await ask({ max_tokens: 8, stream: true, stream_options: { include_usage: true } }));
  assert.equal(got.usage.completion_tokens, 8);
});

test('the streaming helper puts a message together', async () => {
  const runner = client.chat.completions.stream({ model: TUTTI_MODEL, messages: hello, max_tokens: 4 });
  let deltas = '';
  runner.on('content', (piece) => { deltas += piece; });
  const reply = await runner.finalChatCompletion();
  assert.equal(reply.choices[0].message.content, ' one two three four');
  assert.equal(deltas, ' one two three four');
});

test('a JSON schema constrains the answer', async () => {
  const reply = await ask({
    max_tokens: 60,
    response_format: { type: 'json_schema', json_schema: { name: 'n', strict: true, schema: { type: 'object', properties: { n: { type: 'boolean' } }, required: ['n'], additionalProperties: false } } },
  });
  assert.equal(typeof JSON.parse(reply.choices[0].message.content).n, 'boolean');
});

test('tools reach the model', async () => {
  const reply = await ask({
    max_tokens: 3,
    tools: [{ type: 'function', function: { name: 'now', description: 'the time', parameters: { type: 'object', properties: {} } } }],
    tool_choice: 'none',
  });
  assert.ok(reply.usage.prompt_tokens > 0);
});

test('log probabilities come through', async () => {
  const reply = await ask({ max_tokens: 2, logprobs: true, top_logprobs: 2 });
  assert.equal(reply.choices[0].logprobs.content.length, 2);
});

test('several answers to one prompt', async () => {
  const reply = await ask({ max_tokens: 2, n: 2 });
  assert.equal(reply.choices.length, 2);
});

test('a text completion', async () => {
  const reply = await client.completions.create({ model: TUTTI_MODEL, prompt: 'hi', max_tokens: 3 });
  assert.equal(reply.choices[0].text, ' one two three');
});

test('models are listed, and one by name', async () => {
  const ids = [];
  for await (const m of client.models.list()) ids.push(m.id);
  assert.ok(ids.includes(TUTTI_MODEL), ids.join());
  const one = await client.models.retrieve(TUTTI_MODEL);
  assert.equal(one.id, TUTTI_MODEL);
});

test('the raw answer carries the request id', async () => {
  const { data, response } = await ask({ max_tokens: 1 }, { headers: { 'X-Request-Id': 'suite-1' } }).withResponse();
  assert.equal(response.headers.get('x-request-id'), 'suite-1');
  assert.equal(data.choices.length, 1);
});

test('an unknown model is 404', async () => {
  await assert.rejects(client.chat.completions.create({ model: 'no/such-model', messages: hello, max_tokens: 1 }), (err) => {
    assert.ok(err instanceof OpenAI.NotFoundError, String(err));
    assert.equal(err.code, 'model_not_found');
    return true;
  });
});

test('no messages is 400', async () => {
  await assert.rejects(client.chat.completions.create({ model: TUTTI_MODEL, messages: [], max_tokens: 1 }), OpenAI.BadRequestError);
});

test('a prompt that is too long is 400, in the words of the model server', async () => {
  const messages = [{ role: 'user', content: 'x'.repeat(20000) }];
  await assert.rejects(client.chat.completions.create({ model: TUTTI_MODEL, messages, max_tokens: 1 }), (err) => {
    assert.ok(err instanceof OpenAI.BadRequestError, String(err));
    assert.match(err.message, /context/);
    return true;
  });
});

test('a wrong key is 401', async () => {
  const stranger = new OpenAI({ baseURL: `${TUTTI_URL}/v1`, apiKey: 'tk-wrong', maxRetries: 0 });
  await assert.rejects(stranger.chat.completions.create({ model: TUTTI_MODEL, messages: hello, max_tokens: 1 }), OpenAI.AuthenticationError);
});

test('a stream can be abandoned, and the next request works', async () => {
  const stream = await ask({ max_tokens: 150, stream: true });
  for await (const chunk of stream) {
    if (chunk.choices[0]?.delta?.content) break;
  }
  const reply = await ask({ max_tokens: 1 });
  assert.equal(reply.choices[0].message.content, ' one');
});

test('an aborted request rejects', async () => {
  const controller = new AbortController();
  const asked = ask({ max_tokens: 150 }, { signal: controller.signal });
  controller.abort();
  await assert.rejects(asked, OpenAI.APIUserAbortError);
});

test('a time limit of the client holds', async () => {
  await assert.rejects(ask({ max_tokens: 190, n: 4 }, { timeout: 1 }), OpenAI.APIConnectionTimeoutError);
});

test('sixteen at once', async () => {
  const replies = await Promise.all(Array.from({ length: 16 }, () => ask({ max_tokens: 20 })));
  for (const r of replies) assert.equal(r.usage.completion_tokens, 20);
});
