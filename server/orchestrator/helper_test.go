package orchestrator_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/server/orchestrator"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/server/tlscert"
	"github.com/tuttinode/tutti/test/coretest"
)

// node is a listener on a real socket over a fake transcoder, and a gateway's
// clients for it.
type node struct {
	t      testing.TB
	uri    string
	addr   string
	server *orchestrator.Server
	orch   *orchestrate.Orchestrator
	fake   *coretest.Fake
	// cancel ends the server's context, stop waits for its end, too.
	cancel, stop func()

	h1, h2 *http.Client
	rpc    rpc.OrchestratorClient
}

// setup is what a test may change of a node.
type setup struct {
	rules    orchestrate.Options
	listener orchestrator.Options
	plain    bool
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// newNode starts a node; the test's end stops it and waits for that.
func newNode(t testing.TB, change ...func(*setup)) *node {
	t.Helper()
	n := &node{t: t, fake: &coretest.Fake{}}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n.addr = l.Addr().String()
	su := &setup{
		rules: orchestrate.Options{
			Capabilities: func() capability.Capabilities { return capability.Offer(capability.Default(), "0.9.1") },
			Transcoder:   n.fake, Limit: 10, Now: time.Now, Rand: rand.Reader, Log: quiet(),
		},
		listener: orchestrator.Options{
			Listener: l, Version: "0.1.0", Roles: []string{"orchestrator", "transcoder"}, Now: time.Now, Log: quiet(),
		},
	}
	for _, f := range change {
		f(su)
	}
	n.uri = "https://" + n.addr
	if su.plain {
		n.uri = "http://" + n.addr
	}
	n.start(su)
	n.dial(su.plain)
	t.Cleanup(func() {
		n.stop()
		for _, v := range n.fake.Violations() {
			t.Error(v)
		}
	})
	return n
}

func (n *node) start(su *setup) {
	n.t.Helper()
	su.rules.ServiceURI = n.uri
	orch, err := orchestrate.New(su.rules)
	if err != nil {
		n.t.Fatal(err)
	}
	if !su.plain {
		if su.listener.Cert, err = tlscert.Open(tlscert.Options{Host: "127.0.0.1", Now: time.Now, Rand: rand.Reader,
			Log: quiet()}); err != nil {
			n.t.Fatal(err)
		}
	}
	su.listener.Orchestrator, su.listener.Paywall = orch, orchestrator.NewPaywall(orch, "0.1.0", nil)
	srv, err := orchestrator.New(su.listener)
	if err != nil {
		n.t.Fatal(err)
	}
	n.orch, n.server = orch, srv
	n.cancel, n.stop = run(n.t, srv)
}

// run starts a server and returns what ends its context, and what stops it and waits.
func run(t testing.TB, srv *orchestrator.Server) (cancel, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ready, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- srv.Run(ctx, func() { close(ready) }) }()
	select {
	case <-ready:
	case err := <-done:
		t.Fatal(err)
	}
	stopped := false
	return cancel, func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// dial makes a gateway's clients: HTTP/2 where it is offered for segments,
// HTTP/1.1 for downloads, gRPC for the rest.
func (n *node) dial(plain bool) {
	n.t.Helper()
	insecure := &tls.Config{InsecureSkipVerify: true}
	t1 := &http.Transport{TLSClientConfig: insecure.Clone(), Protocols: protocols(true, false), MaxIdleConnsPerHost: 16}
	t2 := &http.Transport{TLSClientConfig: insecure.Clone(), Protocols: protocols(false, true)}
	creds := credentials.NewTLS(insecure.Clone())
	if plain {
		t2.Protocols.SetHTTP2(false)
		t2.Protocols.SetUnencryptedHTTP2(true)
		creds = plaintext()
	}
	conn, err := grpc.NewClient(n.addr, grpc.WithTransportCredentials(creds))
	if err != nil {
		n.t.Fatal(err)
	}
	n.h1, n.h2, n.rpc = &http.Client{Transport: t1}, &http.Client{Transport: t2}, rpc.NewOrchestratorClient(conn)
	n.t.Cleanup(func() {
		conn.Close()
		t1.CloseIdleConnections()
		t2.CloseIdleConnections()
	})
}

func protocols(h1, h2 bool) *http.Protocols {
	p := new(http.Protocols)
	p.SetHTTP1(h1)
	p.SetHTTP2(h2)
	return p
}

// offer asks for an offer as a gateway off-chain does.
func (n *node) offer() *rpc.OrchestratorInfo {
	n.t.Helper()
	in, err := n.rpc.GetOrchestrator(context.Background(), &rpc.OrchestratorRequest{Address: make([]byte, 20)})
	if err != nil {
		n.t.Fatal(err)
	}
	return in
}

var profiles = []core.Profile{
	{Name: "P720p30fps16x9", Width: 1280, Height: 720},
	{Name: "P360p30fps16x9", Width: 640, Height: 360, Format: core.FormatMP4},
}

// meta describes a segment.
func meta(tok *rpc.AuthToken, body []byte) *rpc.SegmentMeta {
	return &rpc.SegmentMeta{
		Manifest: "stream", Number: 7, Hash: signature.Keccak256(body), Duration: 2 * time.Second,
		Profiles: profiles, Token: tok,
		Capabilities: capability.Capabilities{Bits: capability.Of(capability.H264, capability.MPEGTS, capability.AuthToken)},
	}
}

// post is a segment's request as a gateway sends it.
func (n *node) post(m *rpc.SegmentMeta, body io.Reader) *http.Request {
	n.t.Helper()
	req, err := http.NewRequest(http.MethodPost, n.uri+"/segment", body)
	if err != nil {
		n.t.Fatal(err)
	}
	header, err := rpc.EncodeHeader(rpc.ToSegData(m))
	if err != nil {
		n.t.Fatal(err)
	}
	req.Header.Set("Livepeer-Segment", header)
	req.Header["Livepeer-Payment"] = []string{""}
	req.Header.Set("Content-Type", "video/MP2T")
	return req
}

// do sends a request and returns the status and the whole body.
func do(t testing.TB, c *http.Client, req *http.Request) (*http.Response, []byte) {
	t.Helper()
	res, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, body
}

// result decodes the answer to a segment.
func result(t testing.TB, body []byte) *rpc.TranscodeResult {
	t.Helper()
	m := new(rpc.TranscodeResult)
	if err := proto.Unmarshal(body, m); err != nil {
		t.Fatal(err)
	}
	return m
}

// transcode sends a whole segment that must succeed.
func (n *node) transcode(c *http.Client, tok *rpc.AuthToken, body []byte) *rpc.TranscodeResult {
	n.t.Helper()
	res, answer := do(n.t, c, n.post(meta(tok, body), bytes.NewReader(body)))
	if res.StatusCode != http.StatusOK {
		n.t.Fatalf("status %d: %s", res.StatusCode, answer)
	}
	m := result(n.t, answer)
	if m.GetError() != "" {
		n.t.Fatal(m.GetError())
	}
	return m
}

func get(t testing.TB, c *http.Client, url string) (*http.Response, []byte) {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return do(t, c, req)
}

// wantText checks a plain error.
func wantText(t testing.TB, res *http.Response, body []byte, status int, text string) {
	t.Helper()
	if res.StatusCode != status || strings.TrimSpace(string(body)) != text {
		t.Errorf("%d %q, want %d %q", res.StatusCode, body, status, text)
	}
	if got := res.Header.Get("Content-Type"); got != "text/plain; charset=utf-8" {
		t.Errorf("content type %q", got)
	}
	if !bytes.HasSuffix(body, []byte("\n")) || res.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("not the network's form: %q %v", body, res.Header)
	}
}

func b64(m proto.Message) string {
	b, err := proto.Marshal(m)
	if err != nil {
		panic(fmt.Sprint("encode: ", err))
	}
	return base64.StdEncoding.EncodeToString(b)
}

// eventually waits for a condition.
func eventually(t testing.TB, cond func() bool) {
	t.Helper()
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	giveUp := time.After(20 * time.Second)
	for !cond() {
		select {
		case <-look.C:
		case <-giveUp:
			t.Fatal("waited in vain")
		}
	}
}
