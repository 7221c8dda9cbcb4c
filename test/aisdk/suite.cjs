'use strict';

// Vercel's AI SDK, as it comes, with each of its providers against a gateway with two models: one that counts (see
// test/tinymodel), and a scripted one. test/e2e/aiclients_test.go starts both and says where the gateway is.
const { test } = require('node:test');
const assert = require('node:assert/strict');
const { APICallError, generateObject, generateText, stepCountIs, streamText, tool } = require('ai');
const { createAnthropic } = require('@ai-sdk/anthropic');
const { createOpenAI } = require('@ai-sdk/openai');
const { createOllama } = require('ollama-ai-provider-v2');
const { z } = require('zod');

const { TUTTI_URL, TUTTI_KEY, TUTTI_MODEL, TUTTI_SCRIPTED } = process.env;
const once = { maxRetries: 0 };

// faces has a provider's model of a name, for each API that the SDK speaks.
const faces = {
  chat: (id, key = TUTTI_KEY) => createOpenAI({ baseURL: `${TUTTI_URL}/v1`, apiKey: key }).chat(id),
  responses: (id, key = TUTTI_KEY) => createOpenAI({ baseURL: `${TUTTI_URL}/v1`, apiKey: key }).responses(id),
  anthropic: (id, key = TUTTI_KEY) => createAnthropic({ baseURL: `${TUTTI_URL}/v1`, apiKey: key })(id),
  ollama: (id, key = TUTTI_KEY) => createOllama({
    baseURL: `${TUTTI_URL}/api`, headers: { Authorization: `Bearer ${key}` },
  })(id),
};

for (const [face, make] of Object.entries(faces)) {
  const counting = make(TUTTI_MODEL);
  const scripted = make(TUTTI_SCRIPTED);

  test(`${face}: a text and its usage`, async () => {
    const reply = await generateText({ ...once, model: counting, prompt: 'hi', maxOutputTokens: 16 });
    assert.match(reply.text.trim(), /^one two three four five/);
    assert.ok(reply.usage.outputTokens > 0 && reply.usage.inputTokens > 0, JSON.stringify(reply.usage));
  });

  test(`${face}: a stream gives the text in pieces`, async () => {
    const stream = streamText({ ...once, model: counting, prompt: 'hi', maxOutputTokens: 16 });
    let text = '';
    let pieces = 0;
    for await (const piece of stream.textStream) {
      text += piece;
      pieces++;
    }
    assert.match(text.trim(), /^one two three four five/);
    assert.ok(pieces > 3, `${pieces} pieces`);
  });

  for (const streamed of [false, true]) {
    test(`${face}: a tool is called, and its result is answered${streamed ? ', streamed' : ''}`, async () => {
      const asked = [];
      const weather = tool({
        description: 'of a place', inputSchema: z.object({ location: z.string() }),
        execute: async ({ location }) => { asked.push(location); return '15 degrees'; },
      });
      const options = {
        ...once, model: scripted, prompt: 'the weather?', tools: { get_weather: weather }, stopWhen: stepCountIs(3),
      };
      const text = streamed ? await streamText(options).text : (await generateText(options)).text;
      assert.deepEqual(asked, ['Bonn']);
      assert.match(text, /^It is .*15 degrees/);
    });
  }

  test(`${face}: a request can be aborted`, async () => {
    const controller = new AbortController();
    const stream = streamText({
      ...once, model: scripted, prompt: 'wait', abortSignal: controller.signal, onError: () => {},
    });
    for await (const piece of stream.textStream) {
      assert.match(piece, /said/);
      controller.abort();
    }
    const next = await generateText({ ...once, model: counting, prompt: 'hi', maxOutputTokens: 16 });
    assert.match(next.text.trim(), /^one/);
  });

  test(`${face}: errors have their status and say why`, async () => {
    for (const [model, prompt, status, words] of [
      [make('no/such-model'), 'hi', 404, /no\/such-model/],
      [make(TUTTI_MODEL, 'tk-wrong'), 'hi', 401, /./],
      [scripted, 'refuse', 400, /the template takes no such chat/],
    ]) {
      await assert.rejects(generateText({ ...once, model, prompt }), (err) => {
        assert.ok(APICallError.isInstance(err), String(err));
        assert.equal(err.statusCode, status);
        assert.match(`${err.message} ${err.responseBody}`, words); // some providers show the status alone
        return true;
      });
    }
  });
}

test('an object by its schema', async () => {
  const schema = z.object({ n: z.boolean() });
  const model = faces.chat(TUTTI_MODEL);
  const reply = await generateObject({ ...once, model, schema, prompt: 'hi', maxOutputTokens: 60 });
  assert.equal(typeof reply.object.n, 'boolean');
});
