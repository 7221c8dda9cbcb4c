'use strict';

// The stock OpenAI client's Responses API against a gateway whose model follows a
// script (see test/e2e/responses_test.go, which starts both and says where they are).
const { test } = require('node:test');
const assert = require('node:assert/strict');
const OpenAI = require('openai');

const { TUTTI_URL, TUTTI_KEY, TUTTI_OTHER_KEY, TUTTI_MODEL: model } = process.env;
const at = (apiKey) => new OpenAI({ baseURL: `${TUTTI_URL}/v1`, apiKey, maxRetries: 0 });
const client = at(TUTTI_KEY);
const other = at(TUTTI_OTHER_KEY);
const create = (more, options) => client.responses.create({ model, max_output_tokens: 100, ...more }, options);
const weather = {
  type: 'function', name: 'get_weather', description: 'the weather', strict: true,
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false },
};
const refuses = (kind, field, code) => (err) => {
  assert.ok(err instanceof kind, String(err));
  assert.equal(err.param, field);
  if (code) assert.equal(err.code, code);
  return true;
};

test('a text has output, usage and what was asked', async () => {
  const r = await create({ input: 'say hello', instructions: 'Be kind.', metadata: { topic: 'x' }, temperature: 0.5 });
  assert.equal(r.object, 'response');
  assert.equal(r.status, 'completed');
  assert.equal(r.model, model);
  assert.equal(r.output_text, '2 messages, the last: say hello');
  assert.equal(r.output[0].role, 'assistant');
  assert.equal(r.instructions, 'Be kind.');
  assert.deepEqual(r.metadata, { topic: 'x' });
  assert.equal(r.temperature, 0.5);
  assert.equal(r.usage.total_tokens, r.usage.input_tokens + r.usage.output_tokens);
  assert.ok(r.usage.output_tokens > 0);
});

test('a stream has all events in order, and the same answer', async () => {
  const types = [];
  let text = '';
  let last;
  let n = 0;
  for await (const e of await create({ input: 'say hello', stream: true })) {
    assert.equal(e.sequence_number, n++);
    if (types.at(-1) !== e.type) types.push(e.type);
    if (e.type === 'response.output_text.delta') text += e.delta;
    last = e;
  }
  assert.deepEqual(types, ['response.created', 'response.in_progress', 'response.output_item.added',
    'response.content_part.added', 'response.output_text.delta', 'response.output_text.done',
    'response.content_part.done', 'response.output_item.done', 'response.completed']);
  assert.equal(text, '1 messages, the last: say hello');
  assert.equal(last.response.output[0].content[0].text, text);
  assert.ok(last.response.usage.output_tokens > 0);
});

test('the streaming helper puts a response together', async () => {
  const runner = client.responses.stream({ model, input: 'think about it', max_output_tokens: 100 });
  let deltas = '';
  runner.on('response.output_text.delta', (e) => { deltas += e.delta; assert.equal(e.snapshot, deltas); });
  const r = await runner.finalResponse();
  assert.equal(r.output_text, 'I thought.');
  assert.equal(deltas, 'I thought.');
  assert.equal(r.output[0].type, 'reasoning');
  assert.equal(r.output[0].content[0].text, 'hm, hm');
});

test('a function is called, and its output answered', async () => {
  const input = [{ role: 'user', content: 'weather in Rome?' }];
  const r = await create({ input, tools: [weather], tool_choice: 'required', parallel_tool_calls: false });
  const call = r.output.find((o) => o.type === 'function_call');
  assert.equal(call.name, 'get_weather');
  assert.deepEqual(JSON.parse(call.arguments), { city: 'Rome' });
  input.push(...r.output, { type: 'function_call_output', call_id: call.call_id, output: '14 degrees' });
  const done = await create({ input, tools: [weather], store: false });
  assert.equal(done.output_text, 'The function says: 14 degrees');
  assert.equal(done.store, false);
});

test('a streamed call is parsed by the helper', async () => {
  const runner = client.responses.stream({ model, input: 'weather in Rome?', tools: [weather] });
  let args = '';
  runner.on('response.function_call_arguments.delta', (e) => { args += e.delta; });
  const r = await runner.finalResponse();
  assert.deepEqual(r.output[0].parsed_arguments, { city: 'Rome' });
  assert.equal(args, r.output[0].arguments);
});

test('structured output is parsed', async () => {
  const r = await client.responses.parse({
    model, input: 'an object',
    text: { format: { type: 'json_schema', name: 'n', strict: true, schema: { type: 'object', properties: { n: { type: 'boolean' } }, required: ['n'], additionalProperties: false } } },
  });
  assert.deepEqual(r.output_parsed, { n: true });
});

test('a conversation goes on by previous_response_id, with functions too', async () => {
  const first = await create({ input: 'weather in Rome?', tools: [weather] });
  const call = first.output[0];
  const second = await create({
    previous_response_id: first.id, tools: [weather],
    input: [{ type: 'function_call_output', call_id: call.call_id, output: '15' }],
  });
  assert.equal(second.output_text, 'The function says: 15');
  const third = await create({ previous_response_id: second.id, input: 'and now?', stream: true });
  let end;
  for await (const e of third) end = e;
  assert.equal(end.response.output[0].content[0].text, '5 messages, the last: and now?');
  const fourth = await create({ previous_response_id: end.response.id, input: 'more' });
  assert.equal(fourth.output_text, '7 messages, the last: more');
  const ids = [];
  for await (const item of client.responses.inputItems.list(fourth.id, { order: 'asc', limit: 2 })) ids.push(item.type);
  assert.deepEqual(ids, ['message', 'function_call', 'function_call_output', 'message', 'message', 'message', 'message']);
});

test('stored responses are found and deleted, by their own key only', async () => {
  const r = await create({ input: 'say hello' });
  assert.equal((await client.responses.retrieve(r.id)).output_text, r.output_text);
  await assert.rejects(other.responses.retrieve(r.id), refuses(OpenAI.NotFoundError, null, 'ResponseUnknown'));
  await assert.rejects(other.responses.create({ model, input: 'x', previous_response_id: r.id }),
    refuses(OpenAI.BadRequestError, 'previous_response_id', 'previous_response_not_found'));
  await client.responses.delete(r.id);
  await assert.rejects(client.responses.retrieve(r.id), OpenAI.NotFoundError);
  await assert.rejects(create({ input: 'x', previous_response_id: r.id }), OpenAI.BadRequestError);
});

test('an answer that is cut short is incomplete', async () => {
  const r = await create({ input: 'too long' });
  assert.equal(r.status, 'incomplete');
  assert.equal(r.incomplete_details.reason, 'max_output_tokens');
});

test('what cannot be mapped is refused by name', async () => {
  await assert.rejects(create({ input: 'x', tools: [{ type: 'web_search' }] }), refuses(OpenAI.BadRequestError, 'tools[0].type'));
  await assert.rejects(create({ input: 'x', background: true }), refuses(OpenAI.BadRequestError, 'background'));
  await assert.rejects(create({ input: 'x', conversation: 'conv_1' }), refuses(OpenAI.BadRequestError, 'conversation'));
  await assert.rejects(create({ input: 'x', truncation: 'auto', stream: true }), refuses(OpenAI.BadRequestError, 'truncation'));
});

test('errors are those of every other address', async () => {
  await assert.rejects(create({ input: 'x', model: 'no/such-model' }), refuses(OpenAI.NotFoundError, null, 'model_not_found'));
  await assert.rejects(at('tk-wrong').responses.create({ model, input: 'x' }), OpenAI.AuthenticationError);
  await assert.rejects(at('tk-wrong').responses.retrieve('resp_1'), OpenAI.AuthenticationError);
  await assert.rejects(create({ input: 'refuse this' }), (err) => {
    assert.ok(err instanceof OpenAI.BadRequestError, String(err));
    assert.match(err.message, /the script refuses/);
    return true;
  });
});

test('a stream that breaks off fails with the reason', async () => {
  let last;
  for await (const e of await create({ input: 'break off', stream: true })) last = e;
  assert.equal(last.type, 'response.failed');
  assert.match(last.response.error.message, /CompletionBroken/);
  assert.equal(last.response.output[0].status, 'incomplete');
});

test('a stream can be abandoned, and the model stops', async () => {
  const stream = await create({ input: 'count without end', stream: true });
  let n = 0;
  for await (const e of stream) {
    if (e.type === 'response.output_text.delta' && ++n === 3) break;
  }
  const controller = new AbortController();
  const asked = create({ input: 'count without end' }, { signal: controller.signal });
  controller.abort();
  await assert.rejects(asked, OpenAI.APIUserAbortError);
  assert.equal((await create({ input: 'say hello' })).status, 'completed');
});

test('the tokens of a request are counted beforehand', async () => {
  const few = await client.responses.inputTokens.count({ model, input: 'hi' });
  const many = await client.responses.inputTokens.count({ model, input: 'hi '.repeat(500) });
  assert.equal(few.object, 'response.input_tokens');
  assert.ok(few.input_tokens > 0 && many.input_tokens > few.input_tokens + 100, `${few.input_tokens}, ${many.input_tokens}`);
});

test('eight conversations at once stay apart', async () => {
  await Promise.all(Array.from({ length: 8 }, async (_, i) => {
    const first = await create({ input: `I am ${i}` });
    const next = await create({ input: `still ${i}`, previous_response_id: first.id });
    assert.equal(next.output_text, `3 messages, the last: still ${i}`);
  }));
});
