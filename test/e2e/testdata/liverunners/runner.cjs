'use strict';

// A live runner made of Node's own modules: HTTP, server-sent events and WebSocket.
// Arguments: PORT, and for a runner that registers itself ORCHESTRATOR SECRET APP DOLLARS_AN_HOUR.
const { createHash } = require('node:crypto');
const http = require('node:http');
const https = require('node:https');

const [port, orchestrator, secret, app, dollars] = process.argv.slice(2);

const server = http.createServer((req, res) => {
  if (req.url === '/events') {
    res.writeHead(200, { 'Content-Type': 'text/event-stream' });
    let n = 0;
    const timer = setInterval(() => res.write(`data: ${n++}\n\n`), 100);
    res.on('close', () => clearInterval(timer));
    return;
  }
  if (req.method === 'GET') {
    res.end(`GET ${req.url} for ${req.headers['livepeer-session-id']}`);
    return;
  }
  const parts = [];
  req.on('data', (part) => parts.push(part));
  req.on('end', () => res.end(Buffer.concat(parts).toString().toUpperCase()));
});

server.on('upgrade', (req, socket, head) => {
  const accept = createHash('sha1').update(`${req.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`);
  socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n'
    + `Sec-WebSocket-Accept: ${accept.digest('base64')}\r\n\r\n`);
  let rest = head;
  // Each text comes back in capitals; clients mask what they send.
  const take = (data) => {
    rest = Buffer.concat([rest, data]);
    while (rest.length >= 6 && rest.length >= 6 + (rest[1] & 127)) {
      const size = rest[1] & 127, mask = rest.subarray(2, 6), body = rest.subarray(6, 6 + size);
      if ((rest[0] & 15) === 8) return socket.end();
      const text = Buffer.from(body.map((b, i) => b ^ mask[i % 4])).toString().toUpperCase();
      socket.write(Buffer.concat([Buffer.from([0x81, size]), Buffer.from(text)]));
      rest = rest.subarray(6 + size);
    }
  };
  socket.on('data', take).on('error', () => socket.destroy());
  take(Buffer.alloc(0));
});

// beat registers the runner and says every 5 seconds that it is there.
function beat(authorization, id) {
  const again = (ms, known, name) => setTimeout(() => beat(known, name), ms);
  const req = https.request(`${orchestrator}/runners/heartbeat`, {
    method: 'POST', rejectUnauthorized: false, timeout: 10000,   // orchestrators sign their certificates themselves
    headers: { Authorization: authorization, 'Content-Type': 'application/json' },
  }, (res) => {
    let text = '';
    res.on('data', (part) => { text += part; });
    res.on('end', () => {
      if (res.statusCode !== 200) return again(1000, secret, undefined);
      const answer = JSON.parse(text);
      again(5000, answer.heartbeat_secret || authorization, answer.runner_id);
    });
  });
  req.on('error', () => again(1000, authorization, id));
  req.end(JSON.stringify({ runner_url: `http://127.0.0.1:${port}`, app, price_info: { price: Number(dollars) }, runner_id: id }));
}

server.listen(Number(port), '127.0.0.1');
if (orchestrator) beat(secret, undefined);
