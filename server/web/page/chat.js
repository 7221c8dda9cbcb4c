'use strict';

// A chat with a model through the gateway's public interface: GET /v1/models and
// POST /v1/chat/completions, as any client would use it.
{
  const id = (name) => document.getElementById(name);
  const [chat, model, key, keyRow, talk, form, prompt, send, figures] =
    ['chat', 'model', 'key', 'keyrow', 'talk', 'ask', 'prompt', 'send', 'figures'].map(id);
  const messages = [];
  let running = null;   // the AbortController of the answer that is coming in

  const headers = () => {
    const h = { 'Content-Type': 'application/json' };
    if (key.value) h.Authorization = `Bearer ${key.value}`;
    return h;
  };

  function say(role, text, bad) {
    const p = document.createElement('p');
    p.textContent = text;
    p.className = bad ? 'bad' : role;
    talk.append(p);
    talk.scrollTop = talk.scrollHeight;
    return p;
  }

  async function failure(reply) {
    try {
      const { error } = await reply.json();
      return [error.message, error.code].filter(Boolean).join(' – ');
    } catch {
      return `${reply.status} ${reply.statusText}`;
    }
  }

  // The models change as orchestrators come and go.
  async function models() {
    let reply;
    try {
      reply = await fetch('/v1/models', { headers: headers() });
    } catch {
      return;   // the player says that the gateway does not answer
    }
    if (reply.status === 401) {
      chat.hidden = keyRow.hidden = false;
      figures.textContent = key.value ? await failure(reply) : 'this gateway asks for a key';
      return;
    }
    if (!reply.ok) return;
    const { data } = await reply.json();
    const names = data.filter((m) => !m.pipeline || m.pipeline === 'llm').map((m) => m.id);
    if (names.length) chat.hidden = false;
    const had = model.value;
    if ([...model.options].map((o) => o.value).join('\n') === names.join('\n')) return;
    model.replaceChildren(...names.map((name) => new Option(name)));
    if (names.includes(had)) model.value = had;
  }

  // Events of the answer, one JSON object each.
  async function* events(body) {
    const text = body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
      const { done, value } = await text.read();
      if (done) return;
      rest += value;
      const lines = rest.split('\n');
      rest = lines.pop();
      for (const line of lines) {
        if (!line.startsWith('data:')) continue;
        const data = line.slice(5).trim();
        if (data === '[DONE]') return;
        yield JSON.parse(data);
      }
    }
  }

  async function ask(text) {
    say('user', text);
    messages.push({ role: 'user', content: text });
    const p = say('assistant', '…');
    const began = performance.now();
    let answer = '', first = 0, tokens = 0;
    running = new AbortController();
    send.textContent = 'Stop';
    try {
      const reply = await fetch('/v1/chat/completions', {
        method: 'POST', headers: headers(), signal: running.signal,
        body: JSON.stringify({ model: model.value, messages, max_tokens: 256, stream: true,
          stream_options: { include_usage: true } }),
      });
      if (!reply.ok) throw new Error(await failure(reply));
      for await (const event of events(reply.body)) {
        if (event.error) throw new Error([event.error.message || event.error,
          event.error.code].filter(Boolean).join(' – '));
        if (event.usage) tokens = event.usage.completion_tokens;
        const piece = event.choices?.[0]?.delta?.content;
        if (!piece) continue;
        first ||= performance.now() - began;
        answer += piece;
        p.textContent = answer;
        talk.scrollTop = talk.scrollHeight;
      }
      messages.push({ role: 'assistant', content: answer });
    } catch (err) {
      messages.pop();
      if (!answer) p.remove();
      if (err.name !== 'AbortError') say('assistant', err.message, true);
    }
    running = null;
    send.textContent = 'Send';
    const seconds = (performance.now() - began) / 1000;
    if (first) {
      figures.textContent = `first token after ${Math.round(first)} ms` +
        (tokens ? ` · ${tokens} tokens · ${Math.round(tokens / seconds)} per second` : '');
    }
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (running) { running.abort(); return; }
    const text = prompt.value.trim();
    if (!text || !model.value) return;
    prompt.value = '';
    ask(text);
  });
  prompt.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) { event.preventDefault();
      form.requestSubmit(); }
  });
  key.addEventListener('change', models);
  setInterval(models, 5000);
  models();
}
