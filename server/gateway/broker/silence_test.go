package broker_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/broker"
	"github.com/tuttinode/tutti/server/gateway/upstream"
	"github.com/tuttinode/tutti/server/rpc"
)

// wire is a TCP proxy that can stop to forward, on the connections that it has or on new ones
// too: nothing is closed then, as of a host that is frozen.
type wire struct {
	l     net.Listener
	to    string
	mu    sync.Mutex
	still chan struct{} // guarded by mu; closed to stop
	all   bool          // guarded by mu
	conns []net.Conn    // guarded by mu
	wg    sync.WaitGroup
}

// frozenOrchestrator is a fake behind a wire.
func frozenOrchestrator(t *testing.T, name string) (*orchestrator, *wire) {
	t.Helper()
	o := fake(t, name)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{l: l, to: o.server.Listener.Addr().String(), still: make(chan struct{})}
	w.wg.Go(w.serve)
	t.Cleanup(func() {
		_ = l.Close()
		w.mu.Lock()
		for _, c := range w.conns {
			_ = c.Close()
		}
		w.mu.Unlock()
		w.wg.Wait()
	})
	o.with(func() { o.uri = "https://" + l.Addr().String() })
	return o, w
}

func (w *wire) serve() {
	for {
		in, err := w.l.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("tcp", w.to)
		if err != nil {
			_ = in.Close()
			continue
		}
		w.mu.Lock()
		w.conns = append(w.conns, in, out)
		still := w.still
		if w.all {
			still = make(chan struct{})
			close(still)
		}
		w.mu.Unlock()
		w.wg.Go(func() { forward(in, out, still) })
		w.wg.Go(func() { forward(out, in, still) })
	}
}

// forward copies until still is closed; then it keeps the connections open.
func forward(to, from net.Conn, still <-chan struct{}) {
	b := make([]byte, 4<<10)
	for {
		n, err := from.Read(b)
		select {
		case <-still:
			if err == nil {
				continue
			}
			return
		default:
		}
		if err == nil {
			_, err = to.Write(b[:n])
		}
		if err != nil {
			_ = to.Close()
			return
		}
	}
}

// freeze stops all that goes over the connections there are, and over new ones where all is set.
func (w *wire) freeze(all bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.still)
	w.still, w.all = make(chan struct{}), all
}

// quickly has a broker notice in no time what it notices in seconds else.
func quickly(o *broker.Options, _ *upstream.Options) { o.Silence = 100 * time.Millisecond }

// jobs are of each kind: of some nothing may be heard for many minutes.
func kinds() map[string]*inference.Job {
	stream := chat()
	stream.Stream = true
	picture := &inference.Job{
		Model: inference.Model{Capability: capability.TextToImage, ID: "org/pictures"}, Operation: "text-to-image",
		ContentType: "application/json", Body: []byte(`{"prompt":"a"}`), Units: 8,
	}
	return map[string]*inference.Job{"a chat": chat(), "a stream": stream, "a frame": picture}
}

// An orchestrator that freezes before an answer began holds no job: another one gets it, however
// long such a job may take.
func TestAFrozenOrchestrator(t *testing.T) {
	t.Parallel()
	for name, job := range kinds() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, w := frozenOrchestrator(t, "frozen")
			good := fake(t, "good")
			for _, o := range []*orchestrator{o, good} {
				o.with(func() { o.models[job.Model] = capability.Model{Warm: true, Capacity: 8, RunnerVersion: "0.14.0"} })
			}
			good.with(func() { good.models[job.Model] = capability.Model{Capacity: 8, RunnerVersion: "0.14.0"} })
			o.does(func(_ int, _ http.ResponseWriter, r *http.Request) {
				w.freeze(true)
				<-r.Context().Done()
			})
			s := start(t, quickly, o, good)
			text, a, err := s.ask(t.Context(), job, broker.Hint{})
			if err != nil || text != `{"good":1}` || a.Tries != 2 {
				t.Fatalf("%q %+v %v", text, a, err)
			}
			if text, a, err := s.ask(t.Context(), job, broker.Hint{}); err != nil || text != `{"good":1}` || a.Tries != 1 {
				t.Errorf("the next job: %q %+v %v", text, a, err)
			}
		})
	}
}

// One that freezes in the middle of an answer ends it with an error.
func TestFrozenInTheMiddle(t *testing.T) {
	t.Parallel()
	o, w := frozenOrchestrator(t, "frozen")
	o.does(func(_ int, rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(rw, "data: {}\n\n")
		_ = http.NewResponseController(rw).Flush()
		<-r.Context().Done()
	})
	s := start(t, quickly, o)
	job := chat()
	job.Stream = true
	a, err := s.Do(t.Context(), job, broker.Hint{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	w.freeze(true)
	if text, err := io.ReadAll(a.Body); !errors.Is(err, fault.CompletionBroken) || string(text) != "data: {}\n\n" {
		t.Errorf("%q %v", text, err)
	}
}

// An orchestrator that answers is left to its work for as long as that takes, also where it
// takes no new jobs any more.
func TestASlowOrchestratorIsNotFrozen(t *testing.T) {
	t.Parallel()
	for name, busy := range map[string]func(o *orchestrator, w *wire){
		"slow":   func(*orchestrator, *wire) {},
		"leaves": func(_ *orchestrator, w *wire) { _ = w.l.Close() },
		"its offers are late": func(o *orchestrator, _ *wire) {
			o.beforeAnswer(func(ctx context.Context, _ *rpc.OrchestratorRequest) error { <-ctx.Done(); return ctx.Err() })
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, w := frozenOrchestrator(t, "slow")
			o.does(func(_ int, rw http.ResponseWriter, r *http.Request) {
				busy(o, w)
				timer := time.NewTimer(2 * time.Second) // twenty times what is looked after
				defer timer.Stop()
				select {
				case <-timer.C:
					answer(rw, "slow")
				case <-r.Context().Done():
				}
			})
			s := start(t, quickly, o)
			if text, _, err := s.ask(t.Context(), chat(), broker.Hint{}); err != nil || text != `{"slow":1}` {
				t.Errorf("%q %v", text, err)
			}
		})
	}
}
