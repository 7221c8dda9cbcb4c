package orchestrator_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core/coretest"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/rpc"
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
