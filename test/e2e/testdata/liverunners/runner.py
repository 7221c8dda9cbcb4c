"""A live runner made of the standard library: HTTP, server-sent events and WebSocket.

Arguments: PORT, and for a runner that registers itself ORCHESTRATOR SECRET APP DOLLARS_AN_HOUR.
"""
import base64, hashlib, http.server, json, ssl, struct, sys, threading, time, urllib.request

PORT = int(sys.argv[1])
GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class Runner(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def head(self, status, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def do_GET(self):
        if self.path == "/events":
            return self.events()
        if self.path == "/ws":
            return self.socket()
        body = f"GET {self.path} for {self.headers['Livepeer-Session-Id']}".encode()
        self.head(200, Content_Length=str(len(body)))
        self.wfile.write(body)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).upper()
        self.head(200, Content_Length=str(len(body)))
        self.wfile.write(body)

    def events(self):
        self.close_connection = True
        self.head(200, Content_Type="text/event-stream", Connection="close")
        n = 0
        try:
            while True:
                self.wfile.write(f"data: {n}\n\n".encode())
                n += 1
                time.sleep(0.1)
        except OSError:
            pass  # the session is over

    def socket(self):
        self.close_connection = True
        accept = hashlib.sha1((self.headers["Sec-WebSocket-Key"] + GUID).encode()).digest()
        self.head(101, Upgrade="websocket", Connection="Upgrade",
                  Sec_WebSocket_Accept=base64.b64encode(accept).decode())
        while True:  # each text comes back in capitals; clients mask what they send
            head = self.rfile.read(2)
            if len(head) < 2 or head[0] & 15 == 8:
                return
            size, mask = head[1] & 127, self.rfile.read(4)
            text = bytes(b ^ mask[i % 4] for i, b in enumerate(self.rfile.read(size)))
            self.wfile.write(struct.pack("BB", 0x81, size) + text.upper())


def register(orchestrator, secret, app, dollars):
    tls = ssl._create_unverified_context()  # orchestrators sign their certificates themselves
    me = {"runner_url": f"http://127.0.0.1:{PORT}", "app": app, "price_info": {"price": float(dollars)}}
    while True:
        request = urllib.request.Request(orchestrator + "/runners/heartbeat", json.dumps(me).encode(),
                                         {"Authorization": secret, "Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, context=tls, timeout=10) as f:
                answer = json.load(f)
            secret, me["runner_id"] = answer.get("heartbeat_secret") or secret, answer["runner_id"]
            time.sleep(5)
        except OSError:
            time.sleep(1)  # the orchestrator is not there yet


if len(sys.argv) > 2:
    threading.Thread(target=register, args=sys.argv[2:], daemon=True).start()
http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Runner).serve_forever()
