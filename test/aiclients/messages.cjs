'use strict';

// Anthropic's own client against a gateway with two models: one that counts (see test/tinymodel), and a
// scripted one. aiclients_test.go starts both and says where the gateway is.
const { test } = require('node:test');
const assert = require('node:assert/strict');
const { Anthropic } = require('@anthropic-ai/sdk');

const { TUTTI_URL, TUTTI_KEY, TUTTI_MODEL, TUTTI_SCRIPTED } = process.env;
const client = new Anthropic({ baseURL: TUTTI_URL, apiKey: TUTTI_KEY, maxRetries: 0 });
const user = (content) => [{ role: 'user', content }];
const ask = (more, options) => client.messages.create({ model: TUTTI_MODEL, max_tokens: 5, messages: user('hi'), ...more }, options);
const script = (content, more, options) => ask({ model: TUTTI_SCRIPTED, messages: user(content), ...more }, options);
const tools = [{
  name: 'get_weather', description: 'of a place',
  input_schema: { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] },
}];
const picture = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test('a message has text, usage and a reason to stop', async () => {
  const reply = await ask();
  assert.equal(reply.type, 'message');
  assert.equal(reply.model, TUTTI_MODEL);
  assert.deepEqual(reply.content, [{ type: 'text', text: ' one two three four five' }]);
  assert.equal(reply.stop_reason, 'max_tokens');
  assert.equal(reply.usage.output_tokens, 5);
  assert.ok(reply.usage.input_tokens + reply.usage.cache_read_input_tokens > 0);
  assert.ok(reply._request_id);
});

test('a bearer token is a key too', async () => {
  const other = new Anthropic({ baseURL: TUTTI_URL, authToken: TUTTI_KEY, apiKey: null, maxRetries: 0 });
  const reply = await other.messages.create({ model: TUTTI_MODEL, max_tokens: 1, messages: user('hi') });
  assert.equal(reply.content[0].text, ' one');
});

test('a stop sequence ends the answer', async () => {
  const reply = await ask({ max_tokens: 50, stop_sequences: ['four'], system: 'Count.' });
  assert.equal(reply.content[0].text.trim(), 'one two three');
  assert.notEqual(reply.stop_reason, 'max_tokens');
});

test('a stream gives the same text in pieces', async () => {
  let text = '';
  let pieces = 0;
  const kinds = [];
  for await (const event of await ask({ max_tokens: 8, stream: true })) {
    if (event.type !== 'content_block_delta') kinds.push(event.type);
    if (event.delta?.type === 'text_delta') {
      text += event.delta.text;
      pieces++;
    }
  }
  assert.equal(text, ' one two three four five six seven eight');
  assert.ok(pieces > 3, `${pieces} pieces`);
  assert.deepEqual(kinds, ['message_start', 'content_block_start', 'content_block_stop', 'message_delta', 'message_stop']);
});

test('the streaming helper puts a message together', async () => {
  let deltas = '';
  const stream = client.messages.stream({ model: TUTTI_MODEL, max_tokens: 4, messages: user('hi') });
  stream.on('text', (piece) => { deltas += piece; });
  const reply = await stream.finalMessage();
  assert.equal(reply.content[0].text, ' one two three four');
  assert.equal(deltas, ' one two three four');
  assert.equal(reply.usage.output_tokens, 4);
  assert.equal(reply.stop_reason, 'max_tokens');
});

test('a JSON schema constrains the answer', async () => {
  const schema = { type: 'object', properties: { n: { type: 'boolean' } }, required: ['n'], additionalProperties: false };
  const reply = await ask({ max_tokens: 60, output_config: { format: { type: 'json_schema', schema } } });
  assert.equal(typeof JSON.parse(reply.content[0].text).n, 'boolean');
});

test('a tool is called, and its result is answered', async () => {
  const first = await script('the weather?', { tools, tool_choice: { type: 'auto' } });
  assert.equal(first.stop_reason, 'tool_use');
  assert.deepEqual(first.content, [
    { type: 'text', text: 'I look.' },
    { type: 'tool_use', id: 'call_9', name: 'get_weather', input: { location: 'Bonn' } },
  ]);
  const reply = await ask({
    model: TUTTI_SCRIPTED, tools,
    messages: [...user('the weather?'), { role: 'assistant', content: first.content },
      ...user([{ type: 'tool_result', tool_use_id: 'call_9', content: [{ type: 'text', text: '15 degrees' }] }])],
  });
  assert.equal(reply.content[0].text, 'It is 15 degrees.');
  assert.equal(reply.stop_reason, 'end_turn');
});

test('a streamed call has its input', async () => {
  let json = '';
  const stream = client.messages.stream({ model: TUTTI_SCRIPTED, max_tokens: 9, tools, messages: user('the weather?') });
  stream.on('inputJson', (piece) => { json += piece; });
  const reply = await stream.finalMessage();
  assert.deepEqual(reply.content[1], { type: 'tool_use', id: 'call_9', name: 'get_weather', input: { location: 'Bonn' } });
  assert.deepEqual(JSON.parse(json), { location: 'Bonn' });
  assert.equal(reply.stop_reason, 'tool_use');
  assert.equal(reply.usage.input_tokens, 11);
});

test('the loop of the tool runner ends with an answer', async () => {
  const { betaTool } = require('@anthropic-ai/sdk/helpers/beta/json-schema');
  const reply = await client.beta.messages.toolRunner({
    model: TUTTI_SCRIPTED, max_tokens: 9, messages: user('the weather?'),
    tools: [betaTool({ name: 'get_weather', description: 'of a place', inputSchema: tools[0].input_schema,
      run: ({ location }) => `15 degrees in ${location}` })],
  });
  assert.equal(reply.content[0].text, 'It is 15 degrees in Bonn.');
});

test('a picture reaches the model', async () => {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: picture } };
  assert.equal((await script([image, { type: 'text', text: 'what is it?' }])).content[0].text, 'a picture');
});

test('thoughts are shown to those who ask', async () => {
  const shown = await script('think', { max_tokens: 2048, thinking: { type: 'enabled', budget_tokens: 1024 } });
  assert.deepEqual(shown.content, [{ type: 'thinking', thinking: 'hm', signature: '' }, { type: 'text', text: 'done' }]);
  assert.deepEqual((await script('think')).content, [{ type: 'text', text: 'done' }]);
  const streamed = await client.messages.stream({ model: TUTTI_SCRIPTED, max_tokens: 2048, messages: user('think'),
    thinking: { type: 'enabled', budget_tokens: 1024 } }).finalMessage();
  assert.equal(streamed.content[0].thinking, 'hm');
});

test('tokens are counted, as an estimate', async () => {
  const count = await client.messages.countTokens({ model: TUTTI_MODEL, messages: user('word '.repeat(100)) });
  assert.ok(count.input_tokens > 80 && count.input_tokens < 200, `${count.input_tokens}`);
  assert.equal(count.estimated, true);
  await assert.rejects(client.messages.countTokens({ model: 'no/such-model', messages: user('hi') }), Anthropic.NotFoundError);
});

test('models are listed', async () => {
  const ids = [];
  for await (const m of client.models.list()) ids.push(m.id);
  assert.ok(ids.includes(TUTTI_MODEL), ids.join());
});

const kindOf = (err) => err.error?.error?.type;

test('an unknown model is 404', async () => {
  await assert.rejects(ask({ model: 'no/such-model' }), (err) => {
    assert.ok(err instanceof Anthropic.NotFoundError, String(err));
    assert.equal(kindOf(err), 'not_found_error');
    assert.ok(err.requestID);
    return true;
  });
});

test('what cannot be mapped is 400, and the field is named', async () => {
  await assert.rejects(ask({ tools: [{ type: 'web_search_20250305', name: 'web_search' }] }), (err) => {
    assert.ok(err instanceof Anthropic.BadRequestError, String(err));
    assert.match(err.error.error.message, /^tools\[0\]\.type: /);
    return true;
  });
});

test('a refusal of the model server is 400, in its words', async () => {
  await assert.rejects(script('refuse'), (err) => {
    assert.ok(err instanceof Anthropic.BadRequestError, String(err));
    assert.match(err.message, /the template takes no such chat/);
    return true;
  });
});

test('a wrong key is 401', async () => {
  const stranger = new Anthropic({ baseURL: TUTTI_URL, apiKey: 'tk-wrong', maxRetries: 0 });
  await assert.rejects(stranger.messages.create({ model: TUTTI_MODEL, max_tokens: 1, messages: user('hi') }), (err) => {
    assert.ok(err instanceof Anthropic.AuthenticationError, String(err));
    assert.equal(kindOf(err), 'authentication_error');
    return true;
  });
});

test('a stream that breaks ends with an error', async () => {
  const got = [];
  await assert.rejects(async () => {
    for await (const event of await script('break', { stream: true })) got.push(event.type);
  }, (err) => {
    assert.ok(err instanceof Anthropic.APIError, String(err));
    assert.equal(kindOf(err), 'api_error');
    return true;
  });
  assert.ok(got.includes('content_block_delta'), got.join());
  assert.ok(!got.includes('message_stop'), got.join());
});

test('a stream can be abandoned, and the next request works', async () => {
  const stream = await script('wait', { stream: true });
  for await (const event of stream) {
    if (event.type === 'content_block_delta') break;
  }
  assert.equal((await ask({ max_tokens: 1 })).content[0].text, ' one');
});

test('an aborted request rejects', async () => {
  const controller = new AbortController();
  const asked = ask({ max_tokens: 150 }, { signal: controller.signal });
  controller.abort();
  await assert.rejects(asked, Anthropic.APIUserAbortError);
});

test('sixteen at once', async () => {
  const replies = await Promise.all(Array.from({ length: 16 }, () => ask({ max_tokens: 20 })));
  for (const r of replies) assert.equal(r.usage.output_tokens, 20);
});
