package transcoders_test

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/remote/transcoders"
)

// node is an orchestrator's listener with the service, and a placer that places
// nothing.
type node struct {
	*transcoders.Service
	*placer
	url     string
	secrets *remote.Secrets
	board   *health.Board
	logged  *logged
	// throughGRPC has gRPC's own server serve registrations.
	throughGRPC bool
	// requestTime is the listener's time for a request.
	requestTime time.Duration
}

// start serves on loopback with TLS and HTTP/2.
func start(t testing.TB, change ...func(*transcoders.Options)) *node {
	t.Helper()
	n := &node{}
	n.start(t, change...)
	return n
}

func (n *node) start(t testing.TB, change ...func(*transcoders.Options)) {
	t.Helper()
	*n = node{throughGRPC: n.throughGRPC, requestTime: cmp.Or(n.requestTime, 30*time.Second), placer: newPlacer(),
		secrets: remote.NewSecrets(core.NewSecret("s3cret"), core.NewSecret("next")), logged: new(logged)}
	logTo := slog.New(slog.NewTextHandler(n.logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	n.board = health.New(logTo, time.Now, nil)
	opt := transcoders.Options{
		Placer: n.placer, Secrets: n.secrets, ServiceURI: func() string { return "https://example.org:8935" },
		Version: "0.9.1", Board: n.board, Log: logTo, Now: time.Now, Rand: rand.Reader,
	}
	for _, f := range change {
		f(&opt)
	}
	s, err := transcoders.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	n.Service = s
	g := grpc.NewServer()
	streams := remote.Streams(g, s.Endpoint())
	if n.throughGRPC {
		s.Register(g)
		streams = remote.Streams(g)
	}
	mux := http.NewServeMux()
	mux.Handle(transcoders.ResultsPath, s.Handler())
	mux.Handle(transcoders.SourcePath, s.Source())
	mux.HandleFunc("/slow", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/", streams.ServeHTTP)
	ts := httptest.NewUnstartedServer(mux)
	ts.EnableHTTP2 = true
	ts.Config.ConnContext = remote.ConnContext
	ts.Config.ReadTimeout, ts.Config.WriteTimeout = n.requestTime, n.requestTime
	ts.Config.ErrorLog = log.New(io.Discard, "", 0)
	ts.StartTLS()
	n.url = ts.URL
	t.Cleanup(func() {
		s.Close()
		ts.CloseClientConnections()
		ts.Close()
		g.Stop()
	})
}

func (n *node) addr() string { return strings.TrimPrefix(n.url, "https://") }

// placer hands on what is attached.
type placer struct {
	attached chan *attachment
	refuse   error

	mu   sync.Mutex
	held map[string]*attachment
}

func newPlacer() *placer {
	return &placer{attached: make(chan *attachment, 4096), held: make(map[string]*attachment)}
}

type attachment struct {
	device.Device
	p *placer

	mu        sync.Mutex
	offer     device.Resources
	suspended fault.Code
	detached  chan struct{}
	updates   chan device.Resources
}

func (p *placer) Attach(d device.Device, o device.Resources) (device.Attachment, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refuse != nil {
		return nil, p.refuse
	}
	if p.held[d.Device()] != nil {
		return nil, errors.New("name is taken")
	}
	a := &attachment{Device: d, p: p, offer: o, detached: make(chan struct{}), updates: make(chan device.Resources, 1)}
	p.held[d.Device()] = a
	p.attached <- a
	return a, nil
}

func (a *attachment) Update(o device.Resources) {
	a.mu.Lock()
	a.offer = o
	a.mu.Unlock()
	a.updates <- o
}

func (a *attachment) Suspend(why *fault.Fault) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.suspended = why.Code
}

func (a *attachment) Resume() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.suspended = ""
}

func (a *attachment) state() (device.Resources, fault.Code) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.offer, a.suspended
}

func (a *attachment) Drain(context.Context) error { return nil }

func (a *attachment) Detach() {
	a.p.mu.Lock()
	delete(a.p.held, a.Device.Device())
	a.p.mu.Unlock()
	close(a.detached)
}

// next is the next registration's device.
func (p *placer) next(t testing.TB) *attachment {
	t.Helper()
	select {
	case a := <-p.attached:
		return a
	case <-time.After(30 * time.Second):
		t.Fatal("nothing was attached")
		return nil
	}
}

func (a *attachment) awaitDetached(t testing.TB) {
	t.Helper()
	select {
	case <-a.detached:
	case <-time.After(30 * time.Second):
		t.Fatal("it is still attached")
	}
}

// logged keeps what was logged.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// segment is a job of two renditions, in a codec whose frames are not counted: any
// bytes will do.
func segment(session string, n int) *core.TranscodeJob {
	return &core.TranscodeJob{
		Session: core.SessionID(session), Manifest: "m", Number: core.SegmentNumber(n),
		Input: []byte(strings.Repeat("segment ", 5000)), Duration: 2 * time.Second,
		Profiles: []core.Profile{
			{Name: "a", Width: 426, Height: 240, Bitrate: 1000, Format: core.FormatMPEGTS, Encoder: core.CodecVP9},
			{Name: "b", Width: 640, Height: 360, Bitrate: 2000, Format: core.FormatMP4, Encoder: core.CodecVP9},
		},
		Needs: []uint64{0x1003},
	}
}

func wantCode(t testing.TB, err error, want fault.Code) {
	t.Helper()
	if fault.CodeOf(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
