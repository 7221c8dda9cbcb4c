'use strict';

// The orchestrator's status on the chain, from /chain.json: round, stake, rewards.
// A gateway without orchestrator, or one that runs off-chain, has no such file.
{
  const id = (name) => document.getElementById(name);
  const [section, standing, elapsed, rewards] = ['chain', 'standing', 'elapsed', 'rewards'].map(id);
  const every = 2000;

  const states = {
    unregistered: 'not registered', waiting: 'registered', active: 'active',
    leaving: 'active until the round ends', inactive: 'registered, not in the active set',
  };
  const calls = {
    off: 'off', idle: 'looking', waiting: 'waiting', sending: 'being called', done: 'called', failed: 'failing',
  };

  // Amounts come in smallest units, more than a number holds.
  function tokens(text) {
    const n = BigInt(text), unit = 10n ** 18n;
    const whole = (n / unit).toString().replace(/\B(?=(\d{3})+$)/g, '\u202f');
    const rest = (n % unit).toString().padStart(18, '0').slice(0, 3).replace(/0+$/, '');
    return `${whole}${rest && `.${rest}`} LPT`;
  }
  const percent = (perMillion) => `${perMillion / 10000} %`;

  function entry(name, value, cls) {
    const dt = document.createElement('dt'), dd = document.createElement('dd');
    dt.textContent = name;
    dd.textContent = value;
    if (cls) dd.className = cls;
    const div = document.createElement('div');
    div.append(dt, dd);
    return div;
  }

  function show(s) {
    const { round } = s;
    const state = states[s.state] + (s.state === 'waiting' ? `, active from round ${s.active_from}` : '');
    const call = calls[s.reward] + (s.reward_reason ? `: ${s.reward_reason}` : '');
    const left = Math.max(0, round.end - round.block);
    standing.replaceChildren(
      entry('round', `${round.number}${round.initialized ? '' : ', not initialized'}${round.locked ? ', locked' : ''}`),
      entry('ends in', `${left} blocks`),
      entry('orchestrator', state, s.state === 'active' ? 'good' : ''),
      entry('stake', tokens(s.stake)),
      entry('active set', String(s.active_set)),
      entry('reward cut', percent(s.reward_cut)),
      entry('fee cut', percent(s.fee_cut)),
      entry('reward of this round', call, { done: 'good', failed: 'bad' }[s.reward]),
      ...(s.stale ? [entry('chain', 'silent; this is what was known last', 'bad')] : []),
    );
    elapsed.style.width = `${100 * Math.min(1, (round.block - round.start) / Math.max(1, round.end - round.start))}%`;
    rewards.replaceChildren(...s.rewards.map((r) => {
      const span = document.createElement('span');
      span.className = r.outcome === 'called' ? 'good' : 'bad';
      span.textContent = `round ${r.round} ${r.outcome === 'called' ? `+${tokens(r.amount)}` : 'missed'}`;
      return span;
    }));
    section.hidden = false;
  }

  async function look() {
    if (document.hidden || section.parentElement.hidden) {   // not visible
      setTimeout(look, every);
      return;
    }
    let reply;
    try {
      reply = await fetch('chain.json');
    } catch {
      setTimeout(look, every);   // the player says that the gateway does not answer
      return;
    }
    if (reply.headers.get('Content-Length') === '0') return;   // no orchestrator on a chain
    try {
      if (reply.status === 200) show(await reply.json());
    } finally {
      setTimeout(look, every);   // also after an answer that was cut off
    }
  }
  look();
}
