'use strict';

// LangChain, as it comes, with each of its providers against a gateway with two models: one that counts (see
// test/tinymodel), and a scripted one. test/e2e/aiclients_test.go starts both and says where the gateway is.
const { test } = require('node:test');
const assert = require('node:assert/strict');
const { ChatAnthropic } = require('@langchain/anthropic');
const { HumanMessage } = require('@langchain/core/messages');
const { tool } = require('@langchain/core/tools');
const { ChatOllama } = require('@langchain/ollama');
const { ChatOpenAI } = require('@langchain/openai');
const { z } = require('zod');

const { TUTTI_URL, TUTTI_KEY, TUTTI_MODEL, TUTTI_SCRIPTED } = process.env;
const most = 16;

// faces has a provider's model of a name, for each API that LangChain speaks.
const faces = {
  chat: (model, apiKey = TUTTI_KEY) => new ChatOpenAI({
    model, apiKey, maxRetries: 0, maxTokens: most, configuration: { baseURL: `${TUTTI_URL}/v1` },
  }),
  responses: (model, apiKey = TUTTI_KEY) => new ChatOpenAI({
    model, apiKey, maxRetries: 0, maxTokens: most, useResponsesApi: true, configuration: { baseURL: `${TUTTI_URL}/v1` },
  }),
  anthropic: (model, apiKey = TUTTI_KEY) => new ChatAnthropic({
    model, apiKey, maxRetries: 0, maxTokens: most, anthropicApiUrl: TUTTI_URL, topP: undefined, topK: undefined,
  }),
  ollama: (model, key = TUTTI_KEY) => new ChatOllama({
    model, baseUrl: TUTTI_URL, maxRetries: 0, numPredict: most, headers: { Authorization: `Bearer ${key}` },
  }),
};
const text = (message) => (typeof message.content === 'string' ? message.content
  : message.content.map((part) => part.text ?? '').join(''));

for (const [face, make] of Object.entries(faces)) {
  const counting = make(TUTTI_MODEL);
  const scripted = make(TUTTI_SCRIPTED);

  test(`${face}: a text and its usage`, async () => {
    const reply = await counting.invoke('hi');
    assert.match(text(reply).trim(), /^one two three four five/);
    assert.ok(reply.usage_metadata.output_tokens > 0 && reply.usage_metadata.input_tokens > 0);
  });

  test(`${face}: a stream gives the text in pieces`, async () => {
    let got = '';
    let pieces = 0;
    for await (const piece of await counting.stream('hi')) {
      got += text(piece);
      pieces++;
    }
    assert.match(got.trim(), /^one two three four five/);
    assert.ok(pieces > 3, `${pieces} pieces`);
  });

  for (const streamed of [false, true]) {
    test(`${face}: a tool is called, and its result is answered${streamed ? ', streamed' : ''}`, async () => {
      const asked = [];
      const weather = tool(({ location }) => { asked.push(location); return '15 degrees'; }, {
        name: 'get_weather', description: 'of a place', schema: z.object({ location: z.string() }),
      });
      const agent = scripted.bindTools([weather]);
      const messages = [new HumanMessage('the weather?')];
      let reply;
      if (streamed) {
        for await (const piece of await agent.stream(messages)) reply = reply ? reply.concat(piece) : piece;
      } else {
        reply = await agent.invoke(messages);
      }
      assert.equal(reply.tool_calls.length, 1);
      messages.push(reply, await weather.invoke({ ...reply.tool_calls[0], type: 'tool_call' }));
      assert.deepEqual(asked, ['Bonn']);
      assert.match(text(await agent.invoke(messages)), /^It is .*15 degrees/);
    });
  }

  test(`${face}: a stream can be aborted`, async () => {
    const controller = new AbortController();
    const stream = await scripted.stream('wait', { signal: controller.signal });
    await assert.rejects(async () => {
      for await (const piece of stream) {
        if (text(piece)) controller.abort();
      }
    }, /abort/i);
    assert.match(text(await counting.invoke('hi')).trim(), /^one/);
  });

  test(`${face}: errors have their status and say why`, async () => {
    for (const [model, prompt, status, words] of [
      [make('no/such-model'), 'hi', 404, /no\/such-model/],
      [make(TUTTI_MODEL, 'tk-wrong'), 'hi', 401, /./],
      [scripted, 'refuse', 400, /the template takes no such chat/],
    ]) {
      await assert.rejects(model.invoke(prompt), (err) => {
        assert.equal(err.status ?? err.status_code, status, String(err));
        assert.match(err.message, words);
        return true;
      });
    }
  });
}
