package orchestrator_test

import (
	"context"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/test/coretest"
)

// A model may be silent for longer than a gateway may take nothing.
func TestSilentModelIsNoSlowGateway(t *testing.T) {
	t.Parallel()
	for name, client := range map[string]func(n *node) *http.Client{
		"HTTP/1.1": func(n *node) *http.Client { return n.h1 },
		"HTTP/2":   func(n *node) *http.Client { return n.h2 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				const piece, last = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n", "data: [DONE]\n\n"
				w := coretest.NewWorker(inference.ModelState{Model: llama, State: inference.Ready, Capacity: 1})
				w.Answer = func(ctx context.Context, _ *inference.Job) (*inference.Reply, error) {
					r, pw := io.Pipe()
					context.AfterFunc(ctx, func() { pw.CloseWithError(ctx.Err()) })
					go func() {
						for _, pause := range []time.Duration{0, 9 * time.Second, 55 * time.Second, 5 * time.Minute} {
							select {
							case <-time.After(pause): // of the test's own clock
							case <-ctx.Done():
							}
							_, _ = io.WriteString(pw, piece)
						}
						_, _ = io.WriteString(pw, last)
						pw.Close()
					}()
					return &inference.Reply{Status: 200, ContentType: "text/event-stream", Length: -1, Body: r}, nil
				}
				n, _ := newPipeNode(t, func(s *setup) { s.rules.Worker = w })
				a := &aiNode{node: n, worker: w}
				res, err := client(n).Do(asOwn(a.jobOf(n.token())))
				if err != nil {
					t.Fatal(err)
				}
				defer res.Body.Close()
				if b, err := io.ReadAll(res.Body); err != nil || string(b) != piece+piece+piece+piece+last {
					t.Errorf("%q %v", b, err)
				}
				eventually(t, func() bool { return w.InUse() == 0 && n.orch.Jobs() == 0 })
			})
		})
	}
}
