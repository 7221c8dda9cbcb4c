"""An application without a key: it finds a runner by its app, has each payment signed by a remote signer, and uses the
session by HTTP, events and a WebSocket meanwhile. Standard library alone.

Arguments: ORCHESTRATOR SIGNER APP MORE_PAYMENTS. It prints the price of a second in wei.
"""
import base64, json, os, socket, ssl, struct, sys, time, urllib.error, urllib.parse, urllib.request

orchestrator, signer, app, more = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
tls = ssl._create_unverified_context()


def call(url, data=b"", headers={}, method="POST"):
    r = urllib.request.Request(url, data=data if method == "POST" else None, headers=headers, method=method)
    try:
        with urllib.request.urlopen(r, context=tls if url.startswith("https") else None, timeout=20) as f:
            return f.status, f.read()
    except urllib.error.HTTPError as e:
        return e.code, e.read()


def find():
    for _ in range(60):
        for o in json.loads(call(orchestrator + "/discovery", method="GET")[1]):
            for r in o.get("runners", []):
                if r["app"] == app and "price_info" in r:
                    assert (r["price_info"]["currency"], r["price_info"]["unit"]) == ("wei", "seconds"), r
                    return r
        time.sleep(1)
    sys.exit(f"no runner of {app} with a price")


runner = find()
payer = json.loads(call(signer + "/sign-orchestrator-info")[1])["address"]
for _ in range(60):
    code, text = call(runner["url"], headers={"Livepeer-Payer-Address": payer})
    if code == 402:
        break
    time.sleep(1)  # the orchestrator does not see the deposit yet
assert code == 402, (code, text)
offer, state = json.loads(text), None


def pay(url):
    global state
    ask = {"orchestrator": offer["payment_params"], "ManifestID": offer["manifest_id"], "type": "live"}
    if state:
        ask["state"] = state
    code, text = call(signer + "/generate-live-payment", json.dumps(ask).encode(), {"Content-Type": "application/json"})
    if code == 482:
        return 200, b""  # what was paid is enough
    assert code == 200, (code, text)
    signed = json.loads(text)
    state = signed["state"]
    return call(url, headers={"Livepeer-Payment": signed["payment"], "Livepeer-Segment": signed["segCreds"]})


code, text = pay(runner["url"])
assert code == 200, (code, text)
session = json.loads(text)


def stream(path, headers=""):
    """A request whose answer goes on."""
    url = urllib.parse.urlparse(session["app_url"] + path)
    s = tls.wrap_socket(socket.create_connection((url.hostname, url.port), 20), server_hostname=url.hostname)
    s.sendall(f"GET {url.path} HTTP/1.1\r\nHost: {url.netloc}\r\n{headers}\r\n".encode())
    f = s.makefile("rb")
    status, line = int(f.readline().split()[1]), b"-"
    while line.strip():
        line = f.readline()
    return s, f, status


_, events, status = stream("/events")
assert status == 200, status
ws, frames, status = stream("/ws", "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                            f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\n")
assert status == 101, status


def use(n):
    code, text = call(session["app_url"] + f"/hello?n={n}", method="GET")
    assert (code, text.decode()) == (200, f"GET /hello?n={n} for {session['session_id']}"), (code, text)
    code, text = call(session["app_url"] + "/shout", f"message {n}".encode())
    assert (code, text.decode()) == (200, f"MESSAGE {n}"), (code, text)
    ask, mask = f"frame {n}".encode(), os.urandom(4)
    ws.sendall(struct.pack("BB", 0x81, 0x80 | len(ask)) + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(ask)))
    assert frames.read(2 + len(ask)) == struct.pack("BB", 0x81, len(ask)) + ask.upper()
    line = b""
    while not line.startswith(b"data: "):
        line = events.readline()
        assert line, "the events end"


for n in range(more):
    use(n)
    time.sleep(2)
    code, text = pay(offer["payment_url"])
    assert code == 200, (code, text)
use(more)
code, text = call(session["control_url"] + "/stop")
assert code == 204, (code, text)
assert frames.read(1) == b"", "the socket of a session that has ended goes on"
code, text = call(session["app_url"] + "/hello", method="GET")
assert code == 404, (code, text)
print(runner["price_info"]["price"])
