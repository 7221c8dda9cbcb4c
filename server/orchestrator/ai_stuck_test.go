package orchestrator_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/coretest"
)

// endless is an answer that never ends. Closing it is noticed.
type endless struct{ closed chan time.Time }

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '\n'
	}
	return len(p), nil
}

func (e endless) Close() error {
	e.closed <- time.Now()
	return nil
}

// TestGatewayThatTakesNothing loses its connection and its slot.
func TestGatewayThatTakesNothing(t *testing.T) {
	t.Parallel()
	for name, client := range map[string]func(n *node) *http.Client{
		"HTTP/1.1": func(n *node) *http.Client { return n.h1 },
		"HTTP/2":   func(n *node) *http.Client { return n.h2 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e := endless{make(chan time.Time, 1)}
				w := coretest.NewWorker(inference.ModelState{Model: llama, State: inference.Ready, Capacity: 1})
				w.Answer = func(context.Context, *inference.Job) (*inference.Reply, error) {
					return &inference.Reply{Status: 200, ContentType: "text/event-stream", Length: -1, Body: e}, nil
				}
				n, _ := newPipeNode(t, func(s *setup) { s.rules.Worker = w })
				a := &aiNode{node: n, worker: w}
				start := time.Now()
				res, err := client(n).Do(asOwn(a.jobOf(n.token())))
				if err != nil {
					t.Fatal(err)
				}
				defer res.Body.Close()
				if took := (<-e.closed).Sub(start); took < 50*time.Second || took > 70*time.Second {
					t.Errorf("its slot was kept for %s", took)
				}
				if _, err := io.Copy(io.Discard, res.Body); err == nil {
					t.Error("the answer ended as if it were whole")
				}
				eventually(t, func() bool { return w.InUse() == 0 && n.orch.Jobs() == 0 })
			})
		})
	}
}

// TestGatewayThatTakesLittle: one that takes a little of its answer each minute, so that no write
// is ever late, keeps its slot no longer than a slow line needs.
func TestGatewayThatTakesLittle(t *testing.T) {
	t.Parallel()
	for name, client := range map[string]func(n *node) *http.Client{
		"HTTP/1.1": func(n *node) *http.Client { return n.h1 },
		"HTTP/2":   func(n *node) *http.Client { return n.h2 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				const most = 2 * time.Hour // at a kilobyte a second for what the HTTP/2 client buffers
				e := events{endless{make(chan time.Time, 1)}}
				w := coretest.NewWorker(inference.ModelState{Model: llama, State: inference.Ready, Capacity: 1})
				w.Answer = func(context.Context, *inference.Job) (*inference.Reply, error) {
					return &inference.Reply{Status: 200, ContentType: "text/event-stream", Length: -1, Body: e}, nil
				}
				n, _ := newPipeNode(t, func(s *setup) { s.rules.Worker = w })
				a := &aiNode{node: n, worker: w}
				start := time.Now()
				res, err := client(n).Do(asOwn(a.jobOf(n.token())))
				if err != nil {
					t.Fatal(err)
				}
				defer res.Body.Close()
				piece := make([]byte, 4<<10)
				for time.Since(start) < most && err == nil {
					<-time.After(40 * time.Second)
					_, err = io.ReadFull(res.Body, piece)
				}
				select {
				case <-e.closed:
				default:
					t.Errorf("its slot is still kept after %s", time.Since(start))
				}
			})
		})
	}
}

// events is an endless answer that comes in small pieces.
type events struct{ endless }

func (e events) Read(p []byte) (int, error) { return e.endless.Read(p[:512]) }

// TestASlotIsNotForTheGateway: a gateway that takes a whole answer slowly holds no slot of its
// model meanwhile.
func TestASlotIsNotForTheGateway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := coretest.NewWorker(inference.ModelState{Model: llama, State: inference.Ready, Capacity: 1})
		closed := make(chan time.Time, 2)
		answer := `{"choices":[{"message":{"content":"` + strings.Repeat("x", 8<<20) + `"}}]}`
		w.Answer = func(context.Context, *inference.Job) (*inference.Reply, error) {
			body := closing{strings.NewReader(answer), closed}
			return &inference.Reply{Status: 200, ContentType: "application/json", Length: -1, Body: body}, nil
		}
		n, _ := newPipeNode(t, func(s *setup) { s.rules.Worker = w })
		a := &aiNode{node: n, worker: w}
		start := time.Now()
		req := a.jobOf(n.token())
		body := `{"model":"` + llama.ID + `","max_tokens":9,"messages":[{"role":"user","content":"x"}]}`
		req.Body, req.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
		res, err := n.h1.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		<-time.After(30 * time.Second)
		if took := (<-closed).Sub(start); took > time.Second {
			t.Errorf("its slot was kept for %s", took)
		}
	})
}

// closing is an answer of which it is known when it was closed.
type closing struct {
	io.Reader
	closed chan time.Time
}

func (c closing) Close() error {
	c.closed <- time.Now()
	return nil
}

// jobOf is a stream's request with a token.
func (a *aiNode) jobOf(tok *rpc.AuthToken) *http.Request {
	a.t.Helper()
	body := `{"model":"` + llama.ID + `","stream":true,"messages":[{"role":"user","content":"x"}]}`
	req, err := http.NewRequest(http.MethodPost, a.uri+"/llm", strings.NewReader(body))
	if err != nil {
		a.t.Fatal(err)
	}
	req.Header.Set("Livepeer-Segment", b64(a.credentials(llama, tok)))
	req.Header.Set("Content-Type", "application/json")
	return req
}
