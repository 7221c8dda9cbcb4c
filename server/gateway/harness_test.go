package gateway_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/coretest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// limit bounds every wait of these tests.
const limit = 20 * time.Second

// events records what a gateway reported.
type events struct {
	core.NopRecorder
	mu  sync.Mutex
	all []string
}

func (e *events) record(format string, args ...any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, fmt.Sprintf(format, args...))
}

func (e *events) count(prefix string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := 0
	for _, s := range e.all {
		if strings.HasPrefix(s, prefix) {
			n++
		}
	}
	return n
}

func (e *events) list() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.all)
}

func (e *events) SegmentReceived(m core.ManifestID, n int, _, _ time.Duration) {
	e.record("received %s %d", m, n)
}
func (e *events) SegmentTranscoded(done *core.Transcoded) {
	e.record("transcoded %s %d %d by %s", done.Manifest, len(done.Profiles), done.Encoded, done.By.URI)
}
func (e *events) SegmentFailed(m core.ManifestID, code string)       { e.record("failed %s", code) }
func (e *events) SegmentRetried(m core.ManifestID, try int)          { e.record("retried %d", try) }
func (e *events) OrchestratorSwapped(_ core.ManifestID, code string) { e.record("swapped %s", code) }
func (e *events) DiscoveryFailed(_, code string)                     { e.record("discovery %s", code) }
func (e *events) SessionRefused(code string)                         { e.record("refused %s", code) }
func (e *events) StreamCreated(m core.ManifestID)                    { e.record("created %s", m) }
func (e *events) StreamEnded(m core.ManifestID)                      { e.record("ended %s", m) }
func (e *events) SegmentUploaded(_ core.ManifestID, _ string, _ time.Duration, code string) {
	e.record("uploaded %s", code)
}

// node is a running gateway and a client of it.
type node struct {
	t      testing.TB
	url    string
	addr   string
	g      *gateway.Gateway
	clock  *coretest.Clock
	events *events
	client *http.Client
	// stop ends the gateway and returns how Run ended.
	stop func() error
}

// start runs a gateway over the given orchestrators until the test's end.
func start(t testing.TB, orchestrators []string, change ...func(*gateway.Options)) *node {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &node{t: t, addr: l.Addr().String(), url: "http://" + l.Addr().String(), clock: &coretest.Clock{},
		events: &events{}}
	opt := gateway.Options{
		Listener: l, Orchestrators: orchestrators, Now: n.clock.Now, Recorder: n.events,
		Limits: gateway.Limits{SweepEvery: 5 * time.Millisecond},
	}
	for _, f := range change {
		f(&opt)
	}
	if n.g, err = gateway.New(opt); err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{MaxIdleConnsPerHost: 32}
	n.client = &http.Client{Transport: transport, Timeout: limit}
	ctx, cancel := context.WithCancel(context.Background())
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- n.g.Run(ctx, func() { close(ready) }) }()
	<-ready
	n.stop = sync.OnceValue(func() error {
		cancel()
		transport.CloseIdleConnections()
		return <-ended
	})
	t.Cleanup(func() {
		if err := n.stop(); err != nil {
			t.Errorf("gateway ended with %v", err)
		}
	})
	return n
}

// answer is a gateway's answer to a push.
type answer struct {
	status int
	code   string
	text   string
	header http.Header
	parts  []part
}

type part struct {
	header http.Header
	data   []byte
}

// push sends a segment and wants the renditions back. headers are pairs.
func (n *node) push(path string, data []byte, headers ...string) *answer {
	n.t.Helper()
	a, err := n.tryPush(context.Background(), path, bytes.NewReader(data), headers...)
	if err != nil {
		n.t.Fatal(err)
	}
	return a
}

func (n *node) tryPush(ctx context.Context, path string, body io.Reader, headers ...string) (*answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, n.url+path, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "multipart/mixed")
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := n.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	a := &answer{status: resp.StatusCode, code: resp.Header.Get(rpc.CodeHeader), header: resp.Header}
	kind, params, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if kind != "multipart/mixed" {
		b, err := io.ReadAll(resp.Body)
		a.text = strings.TrimSpace(string(b))
		return a, err
	}
	r := multipart.NewReader(resp.Body, params["boundary"])
	for {
		p, err := r.NextPart()
		if err == io.EOF {
			return a, nil
		}
		if err != nil {
			return nil, err
		}
		b, err := io.ReadAll(p)
		if err != nil {
			return nil, err
		}
		a.parts = append(a.parts, part{http.Header(p.Header), b})
	}
}

// want checks that an answer has the default ladder's renditions of data.
func (a *answer) want(t testing.TB, data []byte) {
	t.Helper()
	if a.status != http.StatusOK || len(a.parts) != 2 {
		t.Fatalf("status %d code %s text %q, %d parts", a.status, a.code, a.text, len(a.parts))
	}
	for i, name := range []string{"P240p30fps16x9", "P360p30fps16x9"} {
		if got := a.parts[i].header.Get("Rendition-Name"); got != name {
			t.Errorf("part %d is %q, want %q", i, got, name)
		}
		if !bytes.Equal(a.parts[i].data, rendition(name, data)) {
			t.Errorf("part %d has other bytes", i)
		}
	}
}

func (a *answer) wantFault(t testing.TB, status int, code fault.Code) {
	t.Helper()
	if a.status != status || a.code != string(code) {
		t.Errorf("status %d code %s text %q, want %d %s", a.status, a.code, a.text, status, code)
	}
}

// get fetches a path.
func (n *node) get(path string) (int, string, http.Header) {
	n.t.Helper()
	resp, err := n.client.Get(n.url + path)
	if err != nil {
		n.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		n.t.Fatal(err)
	}
	return resp.StatusCode, string(b), resp.Header
}

// wait polls until a condition holds.
func wait(t testing.TB, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// settled waits until no segment is in the gateway: it may still be leaving when
// its client has the answer.
func (n *node) settled() {
	n.t.Helper()
	wait(n.t, "the segments to leave", func() bool {
		_, text, _ := n.get("/api/streams")
		return !strings.Contains(text, `"inFlight":`) ||
			strings.Count(text, `"inFlight":`) == strings.Count(text, `"inFlight":0,`)
	})
}
