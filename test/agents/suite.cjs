'use strict';

// OpenAI's Agents SDK, as it comes: its agents speak the Responses API. The gateway's
// model follows a script; test/e2e/responses_test.go starts both.
const { test } = require('node:test');
const assert = require('node:assert/strict');
const { Agent, Runner, OpenAIProvider, tool, setTracingDisabled } = require('@openai/agents');
const { z } = require('zod');

const { TUTTI_URL, TUTTI_KEY, TUTTI_MODEL: model } = process.env;
setTracingDisabled(true);
const provider = new OpenAIProvider({ baseURL: `${TUTTI_URL}/v1`, apiKey: TUTTI_KEY, useResponses: true });
const runner = new Runner({ modelProvider: provider });

const asked = [];
const weather = tool({
  name: 'get_weather', description: 'the weather', parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => { asked.push(city); return `14 degrees in ${city}`; },
});

test('an agent calls its function and answers', async () => {
  asked.length = 0;
  const agent = new Agent({ name: 'a', instructions: 'Help.', model, tools: [weather] });
  const result = await runner.run(agent, 'weather in Rome?');
  assert.deepEqual(asked, ['Rome']);
  assert.equal(result.finalOutput, 'The function says: 14 degrees in Rome');
});

test('a streamed run gives text and events', async () => {
  asked.length = 0;
  const agent = new Agent({ name: 'a', instructions: 'Help.', model, tools: [weather] });
  const result = await runner.run(agent, 'weather in Rome?', { stream: true });
  let text = '';
  for await (const piece of result.toTextStream()) text += piece;
  await result.completed;
  assert.equal(text, 'The function says: 14 degrees in Rome');
  assert.deepEqual(asked, ['Rome']);
});

test('a run goes on from the response before, and from its history', async () => {
  const agent = new Agent({ name: 'a', instructions: 'Help.', model });
  const first = await runner.run(agent, 'say hello');
  const next = await runner.run(agent, 'and now?', { previousResponseId: first.lastResponseId });
  assert.equal(next.finalOutput, '4 messages, the last: and now?');
  const again = await runner.run(agent, [...first.history, { role: 'user', content: 'and then?' }]);
  assert.equal(again.finalOutput, '4 messages, the last: and then?');
});

test('what a model thinks goes back with the history', async () => {
  const agent = new Agent({ name: 'a', instructions: 'Help.', model });
  const first = await runner.run(agent, 'think about it');
  const next = await runner.run(agent, [...first.history, { role: 'user', content: 'what did you think?' }]);
  assert.equal(next.finalOutput, 'hm, hm');
});

test('an object is what the agent puts out', async () => {
  const agent = new Agent({ name: 'a', instructions: 'Help.', model, outputType: z.object({ n: z.boolean() }) });
  const result = await runner.run(agent, 'an object');
  assert.deepEqual(result.finalOutput, { n: true });
});

test('an agent hands over to another', async () => {
  const french = new Agent({ name: 'french', instructions: 'Speak French.', model, handoffDescription: 'speaks French' });
  const agent = new Agent({ name: 'a', instructions: 'Help.', model, handoffs: [french] });
  const result = await runner.run(agent, 'hand over please');
  assert.equal(result.lastAgent.name, 'french');
});

test('tools that OpenAI runs are refused by name', async () => {
  const { webSearchTool } = require('@openai/agents');
  const agent = new Agent({ name: 'a', instructions: 'Help.', model, tools: [webSearchTool()] });
  await assert.rejects(runner.run(agent, 'search'), (err) => {
    assert.equal(err.status, 400);
    assert.match(err.message, /tools\[0\]\.type/);
    return true;
  });
});
