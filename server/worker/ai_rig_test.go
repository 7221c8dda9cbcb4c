package worker_test

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	mrand "math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/remote/aiworkers"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/server/tlscert"
	"github.com/tuttinode/tutti/server/worker"
)

const aiSecret = "a secret"

// serveTLS serves gRPC and HTTP as the orchestrator's listener does.
func serveTLS(t testing.TB, register func(*grpc.Server), mux *http.ServeMux) string {
	t.Helper()
	cert, err := tlscert.Open(tlscert.Options{Host: "localhost", Now: time.Now, Rand: rand.Reader,
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	g := grpc.NewServer()
	register(g)
	mux.HandleFunc("/healthz", func(http.ResponseWriter, *http.Request) {})
	streams := remote.Streams(g)
	srv := &http.Server{
		TLSConfig: cert.Config(), ReadTimeout: 30 * time.Second, WriteTimeout: 30 * time.Second,
		ConnContext: remote.ConnContext,
		ErrorLog:    slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc") {
				streams.ServeHTTP(w, r)
				return
			}
			mux.ServeHTTP(w, r)
		}),
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = srv.ServeTLS(l, "", ""); close(ended) }()
	t.Cleanup(func() { srv.Close(); g.Stop(); <-ended })
	return l.Addr().String()
}

// newPool is an orchestrator's side on a listener.
func newPool(t testing.TB) (*aiworkers.Pool, string) {
	t.Helper()
	return newPoolWith(t, func(h http.Handler) http.Handler { return h })
}

// newPoolWith has something in front of where answers are taken.
func newPoolWith(
	t testing.TB, front func(http.Handler) http.Handler, change ...func(*aiworkers.Options),
) (*aiworkers.Pool, string) {
	t.Helper()
	opt := aiworkers.Options{
		Secrets: remote.NewSecrets(core.NewSecret(aiSecret)), MinVersion: "0.9.1", Node: "tutti/test",
		Random: rand.Reader, Now: time.Now, Log: slog.New(slog.DiscardHandler),
	}
	for _, f := range change {
		f(&opt)
	}
	p, err := aiworkers.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	routes, mux := http.NewServeMux(), http.NewServeMux()
	p.Routes(routes)
	mux.Handle("/", front(routes))
	addr := serveTLS(t, p.Register, mux)
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_ = p.Run(ctx, func() {}) // registrations that are held back end
	})
	return p, addr
}

// rig is a remote AI worker.
type rig struct {
	t    testing.TB
	loop *worker.Loop[rpc.NotifyAIJob]
	stop func()
}

func newRig(t testing.TB, name, addr string, m inference.Worker, change ...func(*worker.AIOptions)) *rig {
	t.Helper()
	opt := worker.AIOptions{Models: m, Version: "0.9.1", Random: rand.Reader, Now: time.Now,
		Log: slog.New(slog.DiscardHandler)}
	for _, f := range change {
		f(&opt)
	}
	loop, err := worker.AILoop(worker.Options{
		Orchestrators: []string{addr}, Secret: core.NewSecret(aiSecret), Node: "tutti/test", Worker: name, Instance: name +
			"-1",
		Log: slog.New(slog.DiscardHandler), Now: time.Now, Rand: mrand.Float64,
	}, opt)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { _ = loop.Run(ctx, func() {}); close(ended) }()
	r := &rig{t: t, loop: loop, stop: sync.OnceFunc(func() { cancel(); <-ended })}
	t.Cleanup(r.stop)
	return r
}

// newRigWith is how a worker with another secret ends.
func newRigWith(t *testing.T, addr, secret string) <-chan error {
	t.Helper()
	loop, err := worker.AILoop(worker.Options{
		Orchestrators: []string{addr}, Secret: core.NewSecret(secret), Node: "tutti/test", Instance: "x",
		Log: slog.New(slog.DiscardHandler), Now: time.Now, Rand: mrand.Float64,
	}, worker.AIOptions{Models: newModels(llm("m"),
		1), Version: "0.9.1", Random: rand.Reader, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- loop.Run(t.Context(), func() {}) }()
	return ended
}

// aiUntil waits for a condition.
func aiUntil(t testing.TB, what string, ok func() bool) {
	t.Helper()
	deadline, tick := time.NewTimer(15*time.Second), time.NewTicker(time.Millisecond)
	defer deadline.Stop()
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("never: %s", what)
		}
	}
}

// has waits until a model has so many slots.
func has(t testing.TB, w inference.Worker, model inference.Model, slots int) {
	t.Helper()
	aiUntil(t, "the model has its slots", func() bool {
		for _, s := range w.Models() {
			if s.Model == model && s.State == inference.Ready {
				return s.Capacity == slots
			}
		}
		return slots == 0
	})
}

// do reserves and runs a job.
func do(ctx context.Context, w inference.Worker, job *inference.Job) (*inference.Reply, inference.Slot, error) {
	slot, err := w.Reserve(ctx, job.Model, "gateway")
	if err != nil {
		return nil, nil, err
	}
	reply, err := slot.Run(ctx, job)
	if err != nil {
		slot.Release()
		return nil, nil, err
	}
	return reply, slot, nil
}

// whole does a job and reads its answer.
func whole(t testing.TB, w inference.Worker, job *inference.Job) (*inference.Reply, string) {
	t.Helper()
	reply, slot, err := do(t.Context(), w, job)
	if err != nil {
		t.Fatal(err)
	}
	defer slot.Release()
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply, string(text)
}

func chat(model inference.Model, stream bool) *inference.Job {
	body := `{"model":"` + model.ID +
		`","messages":[{"role":"user","content":"hi"}],"max_tokens":16,"temperature":0.5,"seed":7}`
	if stream {
		body = strings.Replace(body, `"seed"`, `"stream":true,"seed"`, 1)
	}
	return &inference.Job{
		Model: model, Operation: inference.Chat, Body: []byte(body), ContentType: "application/json",
		Stream: stream, HideUsage: stream, MaxTokens: 16, Units: 16, RequestID: "req-1",
	}
}

// cable is a TCP connection's way that can be cut.
type cable struct {
	l     net.Listener
	mu    sync.Mutex
	conns []net.Conn
	// near are the worker's ends.
	near []net.Conn
	dead bool
	wg   sync.WaitGroup
}

func newCable(t testing.TB, to string) *cable {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cable{l: l}
	c.wg.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			c.wg.Go(func() { c.join(conn, to) })
		}
	})
	t.Cleanup(func() { c.cut(); c.wg.Wait() })
	return c
}

func (c *cable) addr() string { return c.l.Addr().String() }

func (c *cable) join(conn net.Conn, to string) {
	other, err := net.Dial("tcp", to)
	if err != nil {
		conn.Close()
		return
	}
	c.mu.Lock()
	if c.dead {
		conn.Close()
		other.Close()
	}
	c.conns, c.near = append(c.conns, conn, other), append(c.near, conn)
	c.mu.Unlock()
	c.wg.Go(func() {
		// The far end hears nothing of what happens at the near one, until it is cut.
		_, _ = io.Copy(other, conn)
	})
	_, _ = io.Copy(conn, other)
	_, _ = io.Copy(io.Discard, other)
	conn.Close()
}

// drop breaks what there is at the worker's end; the other end does not notice.
func (c *cable) drop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.near {
		conn.Close()
	}
	c.near = nil
}

// sever breaks what there is at both ends.
func (c *cable) sever() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.conns {
		conn.Close()
	}
	c.conns, c.near = nil, nil
}

// cut breaks everything for good.
func (c *cable) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dead = true
	c.l.Close()
	for _, conn := range c.conns {
		conn.Close()
	}
}
