package worker_test

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/server/tlscert"
	"github.com/tuttinode/tutti/server/worker"
)

// fakeOrchestrator is an orchestrator at an address of its own, over all lives of its process. It
// follows the protocol as unmodified ones do, or with node set as ours.
type fakeOrchestrator struct {
	rpc.UnimplementedTranscoderServer
	*testing.T
	addr string
	cert *tlscert.Source
	node string
	stop func()
	// asks has the listener ask for certificates; shown are those that came.
	asks  bool
	shown atomic.Int64
	// registered gets every registration that stands.
	registered chan *fakeRegistration
	// live counts registrations that stand.
	live atomic.Int64
	// results gets every result.
	results chan posted
	// pings counts the questions that keep a connection for results open.
	pings atomic.Int64

	mu sync.Mutex // covers the fields below
	// refuse is how a registration ends at once, if not nil; errClean ends it without
	// an error.
	refuse error
	// spoil breaks so many connections of results before they are answered.
	spoil int
	tries int
	conns map[net.Conn]bool
}

var errClean = errors.New("a clean end")

// fakeRegistration is one registration.
type fakeRegistration struct {
	req    *rpc.RegisterRequest
	stream grpc.ServerStreamingServer[rpc.NotifySegment]
	end    chan error
	gone   <-chan struct{}
}

type posted struct {
	header http.Header
	body   string
	proto  string
}

func newFakeOrchestrator(t *testing.T, node string) *fakeOrchestrator {
	t.Helper()
	cert, err := tlscert.Open(tlscert.Options{Host: "localhost", Now: time.Now, Rand: rand.Reader,
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	b := &fakeOrchestrator{T: t, cert: cert, node: node, addr: "127.0.0.1:0", stop: func() {},
		registered: make(chan *fakeRegistration, 256), results: make(chan posted, 64)}
	l := b.listen()
	b.addr = l.Addr().String()
	l.Close()
	t.Cleanup(func() { b.stop() })
	return b
}

func (b *fakeOrchestrator) listen() net.Listener {
	b.Helper()
	l, err := net.Listen("tcp", b.addr)
	if err != nil {
		b.Fatal(err)
	}
	return l
}

// start gives the orchestrator another life.
func (b *fakeOrchestrator) start() *fakeOrchestrator {
	b.Helper()
	l := b.listen()
	calls := grpc.NewServer()
	rpc.RegisterTranscoderServer(calls, b)
	config := b.cert.Config()
	if b.asks {
		config.ClientAuth = tls.RequireAnyClientCert
		config.VerifyConnection = func(tls.ConnectionState) error { b.shown.Add(1); return nil }
	}
	srv := &http.Server{ConnState: b.connects, TLSConfig: config, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc"):
				calls.ServeHTTP(w, r)
			case r.URL.Path == "/transcodeResults":
				b.result(w, r)
			case r.URL.Path == "/healthz":
				b.pings.Add(1)
			}
		})}
	var serving sync.WaitGroup
	serving.Go(func() { _ = srv.ServeTLS(l, "", "") })
	b.stop = sync.OnceFunc(func() {
		srv.Close()
		calls.Stop()
		serving.Wait()
	})
	return b
}

func (b *fakeOrchestrator) RegisterTranscoder(
	req *rpc.RegisterRequest, stream grpc.ServerStreamingServer[rpc.NotifySegment],
) error {
	b.mu.Lock()
	refuse := b.refuse
	b.tries++
	b.mu.Unlock()
	if refuse != nil {
		if errors.Is(refuse, errClean) {
			return nil
		}
		return refuse
	}
	if b.node != "" {
		if err := stream.SendHeader(metadata.Pairs(remote.NodeMetadata, b.node)); err != nil {
			return err
		}
	}
	b.live.Add(1)
	defer b.live.Add(-1)
	d := &fakeRegistration{req: req, stream: stream, end: make(chan error, 1), gone: stream.Context().Done()}
	b.registered <- d
	select {
	case err := <-d.end:
		return err
	case <-stream.Context().Done():
		return nil
	}
}

func (b *fakeOrchestrator) result(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	b.mu.Lock()
	spoil := b.spoil > 0
	b.spoil--
	b.mu.Unlock()
	if spoil {
		panic(http.ErrAbortHandler)
	}
	b.results <- posted{header: r.Header.Clone(), body: string(body), proto: r.Proto}
	if r.Header.Get("Credentials") != secret {
		http.Error(w, "Unauthorized", http.StatusUnauthorized)
		return
	}
	_, _ = io.WriteString(w, "OK")
}

func (b *fakeOrchestrator) refuses(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refuse = err
}

func (b *fakeOrchestrator) connects(conn net.Conn, s http.ConnState) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.conns == nil {
		b.conns = make(map[net.Conn]bool)
	}
	b.conns[conn] = s != http.StateClosed
}

// connections counts the connections so far, and those that are open.
func (b *fakeOrchestrator) connections() (all, open int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, is := range b.conns {
		if is {
			open++
		}
	}
	return len(b.conns), open
}

// cut breaks all connections.
func (b *fakeOrchestrator) cut() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for conn := range b.conns {
		conn.Close()
	}
}

func (b *fakeOrchestrator) attempts() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.tries
}

// hires waits for a registration.
func (b *fakeOrchestrator) nextRegistration() *fakeRegistration {
	b.Helper()
	return next(b.T, b.registered, "no registration came")
}

// gives sends the worker a task, and returns it as the worker has it.
func (d *fakeRegistration) sendTask(t *testing.T, c *testWorker, task int64) notice {
	t.Helper()
	if err := d.stream.Send(&rpc.NotifySegment{TaskId: task}); err != nil {
		t.Fatal(err)
	}
	return next(t, c.notices, "no notice")
}

func next[V any](t *testing.T, c <-chan V, what string) V {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(20 * time.Second):
		t.Fatal(what)
		panic("unreachable")
	}
}

// until waits for a condition.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	poll := time.NewTicker(2 * time.Millisecond)
	defer poll.Stop()
	for !ok() {
		select {
		case <-poll.C:
		case <-deadline:
			t.Fatal(what)
		}
	}
}

const secret = "open sesame"

// fakeWork is a worker whose tasks tests hold.
type fakeWork struct {
	notices chan notice

	mu       sync.Mutex // covers the fields below
	capacity int64
}

// notice is a task that runs until answer is closed.
type notice struct {
	*rpc.NotifySegment
	from   *worker.Link
	answer chan string
	// over is closed when the task was ended by others.
	over chan struct{}
	err  chan error
}

func (l *fakeWork) offers(n int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.capacity = n
}

func (l *fakeWork) Offer() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.capacity == 0 {
		return nil
	}
	return []byte{byte(l.capacity)}
}

func (l *fakeWork) Register(
	ctx context.Context, conn grpc.ClientConnInterface, r worker.Registration,
) (grpc.ServerStreamingClient[rpc.NotifySegment], error) {
	l.mu.Lock()
	capacity := max(1, l.capacity)
	l.mu.Unlock()
	return rpc.NewTranscoderClient(conn).RegisterTranscoder(ctx, &rpc.RegisterRequest{Secret: r.Secret, Capacity: capacity,
		Node: r.Node, Worker: r.Worker, Instance: r.Instance, Draining: r.Draining})
}

func (l *fakeWork) Notify(from *worker.Link, n *rpc.NotifySegment) {
	if n.GetCancel() {
		from.Cancel(n.GetTaskId())
		return
	}
	task := notice{NotifySegment: n, from: from, answer: make(chan string), over: make(chan struct{}),
		err: make(chan error, 1)}
	from.Start(n.GetTaskId(), func(ctx context.Context) {
		l.notices <- task
		select {
		case text := <-task.answer:
			task.err <- from.Post(ctx, worker.Result{Path: "/transcodeResults", Task: n.GetTaskId(), Length: int64(len(text)),
				Header: http.Header{"Content-Type": {"text/plain"}}, Body: func() io.Reader { return strings.NewReader(text) }})
		case <-ctx.Done():
			close(task.over)
		}
	})
}

// testWorker is a worker's process.
type testWorker struct {
	*fakeWork
	loop   *worker.Loop[rpc.NotifySegment]
	board  *health.Board
	ended  chan error
	cancel context.CancelFunc
}

func startWorker(t *testing.T, change func(*worker.Options), addrs ...string) *testWorker {
	t.Helper()
	c := &testWorker{fakeWork: &fakeWork{notices: make(chan notice, 64), capacity: 3}, ended: make(chan error, 1),
		board: health.New(slog.New(slog.DiscardHandler), time.Now, nil)}
	o := worker.Options{Orchestrators: addrs, Secret: core.NewSecret(secret), Node: "tutti/0.0.1", Worker: "rig7",
		Instance:   "i-1",
		Credential: "Livepeer-Transcoder-1.0", RegisterLog: "Registering transcoder to", Board: c.board,
		Rand: func() float64 { return 0.5 }}
	if change != nil {
		change(&o)
	}
	var err error
	if c.loop, err = worker.New(o, c.fakeWork); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ready := make(chan struct{})
	go func() { c.ended <- c.loop.Run(ctx, func() { close(ready) }) }()
	<-ready
	c.cancel = sync.OnceFunc(func() {
		cancel()
		<-c.ended
	})
	t.Cleanup(c.cancel)
	return c
}
