'use strict';

// Ollama's own client against a gateway with two models: one that counts (see test/tinymodel), and a scripted
// one. aiclients_test.go starts both and says where the gateway is.
const { test } = require('node:test');
const assert = require('node:assert/strict');
const { Ollama } = require('ollama');

const { TUTTI_URL, TUTTI_KEY, TUTTI_MODEL, TUTTI_SCRIPTED } = process.env;
const make = (key) => new Ollama({ host: TUTTI_URL, headers: { Authorization: `Bearer ${key}` } });
const client = make(TUTTI_KEY);
const hello = [{ role: 'user', content: 'hi' }];
const ask = (more) => client.chat({ model: TUTTI_MODEL, messages: hello, options: { num_predict: 5 }, ...more });
const script = (content, more) => ask({ model: TUTTI_SCRIPTED, messages: [{ role: 'user', content }], ...more });
const tools = [{
  type: 'function',
  function: { name: 'get_weather', description: 'of a place', parameters: { type: 'object', properties: { location: { type: 'string' } } } },
}];
const picture = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

async function collect(stream) {
  const got = { text: '', thinking: '', parts: 0, calls: [], last: null };
  for await (const part of stream) {
    got.parts++;
    got.text += part.message?.content ?? part.response;
    got.thinking += part.message?.thinking ?? '';
    got.calls.push(...(part.message?.tool_calls ?? []));
    got.last = part;
  }
  return got;
}

test('a chat has text, counts and a duration', async () => {
  const reply = await ask();
  assert.equal(reply.message.role, 'assistant');
  assert.equal(reply.message.content, ' one two three four five');
  assert.equal(reply.model, TUTTI_MODEL);
  assert.equal(reply.done, true);
  assert.equal(reply.done_reason, 'length');
  assert.equal(reply.eval_count, 5);
  assert.ok(reply.prompt_eval_count > 0);
  assert.ok(reply.total_duration > 1000);
  assert.ok(!Number.isNaN(Date.parse(reply.created_at)));
});

test('a stream gives the same text in pieces', async () => {
  const got = await collect(await ask({ stream: true, options: { num_predict: 8 } }));
  assert.equal(got.text, ' one two three four five six seven eight');
  assert.ok(got.parts > 3, `${got.parts} parts`);
  assert.equal(got.last.done, true);
  assert.equal(got.last.eval_count, 8);
  assert.ok(got.last.prompt_eval_duration > 0 && got.last.eval_duration > 0);
});

test('options reach the model', async () => {
  const reply = await ask({ options: { num_predict: 50, stop: ['four'], temperature: 0, num_ctx: 2048, seed: 1 } });
  assert.equal(reply.message.content.trim(), 'one two three');
  assert.equal(reply.done_reason, 'stop');
});

test('a generation', async () => {
  const reply = await client.generate({ model: TUTTI_MODEL, prompt: 'hi', system: 'Count.', options: { num_predict: 3 } });
  assert.equal(reply.response, ' one two three');
  const got = await collect(await client.generate({ model: TUTTI_MODEL, prompt: 'hi', stream: true, options: { num_predict: 3 } }));
  assert.equal(got.text, ' one two three');
});

test('a JSON schema constrains the answer', async () => {
  const format = { type: 'object', properties: { n: { type: 'boolean' } }, required: ['n'], additionalProperties: false };
  const reply = await ask({ format, options: { num_predict: 60 } });
  assert.equal(typeof JSON.parse(reply.message.content).n, 'boolean');
});

test('a tool is called, and its result is answered', async () => {
  const first = await script('the weather?', { tools });
  assert.equal(first.message.content, 'I look.');
  assert.equal(first.message.tool_calls[0].function.name, 'get_weather');
  assert.deepEqual(first.message.tool_calls[0].function.arguments, { location: 'Bonn' });
  const reply = await ask({
    model: TUTTI_SCRIPTED, tools,
    messages: [...hello, first.message, { role: 'tool', tool_name: 'get_weather', content: '15 degrees' }],
  });
  assert.equal(reply.message.content, 'It is 15 degrees.');
});

test('a streamed call has its arguments', async () => {
  const got = await collect(await script('the weather?', { tools, stream: true }));
  assert.equal(got.text, 'I look.');
  assert.deepEqual(got.calls.map((c) => c.function.arguments), [{ location: 'Bonn' }]);
});

test('a picture reaches the model', async () => {
  const reply = await client.chat({ model: TUTTI_SCRIPTED, messages: [{ role: 'user', content: 'what is it?', images: [picture] }] });
  assert.equal(reply.message.content, 'a picture');
});

test('thoughts are apart from the text', async () => {
  assert.equal((await script('think', { think: true })).message.thinking, 'hm');
  assert.equal((await script('think', { think: false })).message.thinking, undefined);
  const got = await collect(await script('think', { think: true, stream: true }));
  assert.equal(got.thinking, 'hm');
  assert.equal(got.text, 'done');
});

test('embeddings', async () => {
  const reply = await client.embed({ model: TUTTI_SCRIPTED, input: ['a', 'bc'] });
  assert.deepEqual(reply.embeddings, [[1, 0.5], [2, 0.5]]);
});

test('models are listed and shown', async () => {
  const { models } = await client.list();
  assert.ok(models.some((m) => m.name === TUTTI_MODEL), JSON.stringify(models));
  assert.ok((await client.ps()).models.some((m) => m.model === TUTTI_MODEL));
  const shown = await client.show({ model: TUTTI_MODEL });
  assert.ok(shown.capabilities.includes('completion'));
  assert.match((await client.version()).version, /^\d+\.\d+\.\d+$/);
});

test('an unknown model is 404', async () => {
  for (const asked of [() => ask({ model: 'no/such-model' }), () => client.show({ model: 'no/such-model' })]) {
    await assert.rejects(asked, (err) => {
      assert.equal(err.status_code, 404, String(err));
      assert.match(err.message, /no\/such-model/);
      return true;
    });
  }
});

test('what cannot be mapped is 400, and the field is named', async () => {
  await assert.rejects(client.generate({ model: TUTTI_MODEL, prompt: 'a', suffix: 'b' }), (err) => {
    assert.equal(err.status_code, 400);
    assert.match(err.message, /^suffix: /);
    return true;
  });
});

test('a refusal of the model server is 400, in its words', async () => {
  await assert.rejects(script('refuse'), (err) => {
    assert.equal(err.status_code, 400);
    assert.match(err.message, /the template takes no such chat/);
    return true;
  });
});

test('models are not changed', async () => {
  for (const asked of [() => client.pull({ model: 'x' }), () => client.delete({ model: 'x' }), () => client.push({ model: 'x' }),
    () => client.copy({ source: 'x', destination: 'y' }), () => client.create({ model: 'x', from: 'y' })]) {
    await assert.rejects(asked, (err) => {
      assert.equal(err.status_code, 404, String(err));
      assert.match(err.message, /network's orchestrators/);
      return true;
    });
  }
});

test('a wrong key is 401', async () => {
  await assert.rejects(make('tk-wrong').chat({ model: TUTTI_MODEL, messages: hello }), (err) => {
    assert.equal(err.status_code, 401);
    return true;
  });
});

test('a stream that breaks ends with an error', async () => {
  const stream = await script('break', { stream: true });
  await assert.rejects(collect(stream), /ended|broke|connection/i);
});

test('a stream can be aborted, and the next request works', async () => {
  const stream = await script('wait', { stream: true });
  await assert.rejects(async () => {
    for await (const part of stream) {
      if (part.message.content) stream.abort();
    }
  }, { name: 'AbortError' });
  assert.equal((await ask({ options: { num_predict: 1 } })).message.content, ' one');
});

test('sixteen at once', async () => {
  const replies = await Promise.all(Array.from({ length: 16 }, () => ask({ options: { num_predict: 20 } })));
  for (const r of replies) assert.equal(r.eval_count, 20);
});
