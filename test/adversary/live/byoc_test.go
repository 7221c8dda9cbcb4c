package live

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/test/byoc"
	"github.com/tuttinode/tutti/test/harness"
)

// startCapabilities starts an orchestrator, with more options, and a client at an address of this machine.
func startCapabilities(t *testing.T, options ...string) (n *node, client func(address string) *byoc.Client) {
	t.Helper()
	addr := harness.Address(t)
	n = &node{t: t, uri: "https://" + addr}
	n.Process = harness.Start(t, binary, append([]string{"-orchestrator", "-serviceAddr", addr, "-httpAddr", addr,
		"-cliAddr", harness.Address(t), "-dataDir", t.TempDir()}, options...)...)
	n.WaitHTTP(n.uri + "/healthz")
	key, err := crypto.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	return n, func(address string) *byoc.Client {
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
		transport := &http.Transport{
			DialContext: dialer.DialContext, TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		}
		t.Cleanup(transport.CloseIdleConnections)
		return &byoc.Client{T: t, URI: n.uri, HTTP: &http.Client{Transport: transport}, Key: key}
	}
}

// TestStrangersRegisterNoCapability: without the operator's secret no capability is registered, changed or removed, and
// a node without a secret lets none register.
func TestStrangersRegisterNoCapability(t *testing.T) {
	n, client := startCapabilities(t, "-orchSecret", byoc.Secret)
	c, worker := client("127.0.0.1"), byoc.NewCapability(t)
	if a := c.Register(byoc.Secret, "demo", worker.URL, 1, 0); a.Status != http.StatusOK {
		t.Fatal(a)
	}
	for _, secret := range []string{"", "guess", "Bearer " + byoc.Secret, byoc.Secret + "x"} {
		if a := c.Register(secret, "demo", "http://127.0.0.1:1", 9, 0); a.Status != http.StatusBadRequest {
			t.Errorf("%q registered: %v", secret, a)
		}
		if a := c.Send("POST", "/capability/unregister", "demo", "Authorization", secret); a.Status != http.StatusBadRequest {
			t.Errorf("%q unregistered: %v", secret, a)
		}
	}
	if status, text := n.send("POST", "/capability/register", io.LimitReader(zeros{}, 64<<20)); status == http.StatusOK {
		t.Error(text)
	}
	if token, a := c.Token("demo"); token.Available != 1 {
		t.Error(a)
	}
	_, client = startCapabilities(t, "-liveSampleSessions", "1")
	for _, secret := range []string{"", byoc.Secret} {
		if a := client("127.0.0.1").Register(secret, "demo", worker.URL, 1, 0); a.Status != http.StatusNotFound {
			t.Errorf("a node without a secret: %v", a)
		}
	}
}

// TestStrangersReachNoStream: a peer that knows or guesses a stream's id, and even has its gateway's headers, neither
// stops nor changes it from another address, and its channels do not have its name.
func TestStrangersReachNoStream(t *testing.T) {
	n, client := startCapabilities(t, "-orchSecret", byoc.Secret)
	c, stranger, worker := client("127.0.0.1"), client("127.0.0.2"), byoc.NewCapability(t)
	if a := c.Register(byoc.Secret, "demo", worker.URL, 2, 0); a.Status != http.StatusOK {
		t.Fatal(a)
	}
	a := c.Send("POST", "/ai/stream/start", "", "Livepeer", c.Header(byoc.Job{
		ID: "stream", Request: "{}", Parameters: `{"enable_video_ingress":true}`, Capability: "demo", Timeout: 30,
	}))
	if a.Status != http.StatusOK {
		t.Fatal(a)
	}
	seen := len(worker.Seen())
	header := c.Header(byoc.Job{ID: "x", Request: `{"stream_id":"stream"}`, Capability: "demo", Timeout: 30})
	for _, call := range []string{"stop", "update", "payment"} {
		stranger.Send("POST", "/ai/stream/"+call, "{}", "Livepeer", header)
	}
	for _, name := range []string{"stream", "stream-control", "stream-events", "stream-out", "", "*"} {
		if status, text := n.send("GET", "/ai/trickle/"+name+"/next", nil); status != http.StatusNotFound {
			t.Error(name, status, text)
		}
	}
	path := strings.TrimPrefix(a.Header.Get("X-Publish-Url"), n.uri)
	if status, text := n.send("POST", path+"/0", strings.NewReader("media")); status != http.StatusOK {
		t.Error("the stream has ended: ", status, text)
	}
	if got := len(worker.Seen()); got != seen {
		t.Errorf("the capability got %d requests of strangers", got-seen)
	}
	if strings.Contains(n.Log(), path[len("/ai/trickle/"):]) {
		t.Error("the log has the name of a channel")
	}
	if a := c.Send("POST", "/ai/stream/stop", "{}", "Livepeer", header); a.Status != http.StatusOK {
		t.Error(a)
	}
}

// TestNoRequestIsAStream: a request, which is paid while it lasts, neither begins a stream at a capability, with
// channels of the gateway's choice and unpaid afterwards, nor ends or changes one.
func TestNoRequestIsAStream(t *testing.T) {
	_, client := startCapabilities(t, "-orchSecret", byoc.Secret)
	c, worker := client("127.0.0.1"), byoc.NewCapability(t)
	if a := c.Register(byoc.Secret, "demo", worker.URL, 1, 0); a.Status != http.StatusOK {
		t.Fatal(a)
	}
	header := c.Header(byoc.Job{ID: "x", Request: "{}", Capability: "demo", Timeout: 30})
	for _, path := range []string{"stream/start", "stream/stop", "stream/params", "Stream/START", "stream%2fstart",
		"stream/start/", "stream/start/x", "stream%5Cstart", "stream/start;x", "./stream/start", "%2fstream%2f%2fstop",
		"stream/start%00", "stream/start.json", "stream/start%20", ".;x/stream/start", ";x/stream/stop", "stream/;x/start",
		"stream/.;/params", "%20/stream/start", "stream%09/start"} {
		a := c.Send("POST", "/process/request/"+path, `{"subscribe_url":"http://169.254.169.254/"}`, "Livepeer", header)
		if a.Status < 300 {
			t.Errorf("%s: %v", path, a)
		}
	}
	for _, seen := range worker.Seen() {
		t.Errorf("the capability got %s with %s", seen.Path, seen.Body)
	}
	for _, path := range []string{"streams/start", "stream", "stream/startle", "a/stream/start"} {
		if a := c.Send("POST", "/process/request/"+path, "{}", "Livepeer", header); a.Status != http.StatusOK {
			t.Errorf("%s: %v", path, a)
		}
	}
}

// TestJunkAtCapabilities: headers and bodies of all kinds are refused, and cost no slot.
func TestJunkAtCapabilities(t *testing.T) {
	_, client := startCapabilities(t, "-orchSecret", byoc.Secret)
	c, worker := client("127.0.0.1"), byoc.NewCapability(t)
	if a := c.Register(byoc.Secret, "demo", worker.URL, 1, 0); a.Status != http.StatusOK {
		t.Fatal(a)
	}
	good := c.Header(byoc.Job{ID: "../x", Request: "{}", Capability: "demo", Timeout: 1 << 40})
	for _, header := range []string{"", "@@", "e30=", good[:len(good)/2], strings.Repeat("A", 100<<10), good} {
		for _, path := range []string{"stop", "update", "payment", "start"} {
			a := c.Send("POST", "/ai/stream/"+path, "{}", "Livepeer", header)
			if a.Status < 400 && path != "stop" || a.Status >= 500 {
				t.Errorf("%s of %.20q: %v", path, header, a)
			}
		}
	}
	for _, job := range []byoc.Job{
		{Request: "0", Parameters: "x", Capability: "demo", Timeout: 1}, {Request: "{}", Capability: "demo", Timeout: -1},
		{Request: "{}", Capability: strings.Repeat("x", 1000), Timeout: 1}, {Request: "{}", Timeout: 1},
	} {
		if a := c.Send("POST", "/process/request/x", "{}", "Livepeer", c.Header(job)); a.Status != http.StatusBadRequest {
			t.Errorf("%+v: %v", job, a)
		}
	}
	if token, a := c.Token("demo"); token.Available != 1 || len(worker.Seen()) != 0 {
		t.Error(a, worker.Seen())
	}
}
