package aiapi_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/broker"
)

// reluctant is a client that takes a while for each piece of its answer.
type reluctant struct {
	*httptest.ResponseRecorder
	takes time.Duration
}

func (r *reluctant) Write(b []byte) (int, error) {
	<-time.After(r.takes) // of a synctest bubble's clock
	return r.ResponseRecorder.Write(b)
}

// A client that takes its answer slowly is the cause when that breaks off, not the orchestrator,
// which had all of it ready.
func TestSlowClientsAreNoFaultOfTheirOrchestrator(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		takes time.Duration
		every time.Duration
		want  inference.Ending
	}{
		"a slow client":       {time.Minute, time.Nanosecond, inference.ClientLeft},
		"a slow orchestrator": {time.Millisecond, time.Minute, inference.Faulty},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := start(t, nil)
				d := dripping{piece: event1, every: row.every, most: 4096, end: lastEvent + done, cut: make(chan struct{})}
				var got inference.Delivery
				n.broker.answer = func(context.Context, *inference.Job) (*broker.Answer, error) {
					a := reply("text/event-stream", &d)
					a.Allowed, a.Delivered = d.allow, func(v inference.Delivery) { got = v }
					return a, nil
				}
				w := &reluctant{httptest.NewRecorder(), row.takes}
				n.handler.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "http://127.0.0.1/llm", strings.NewReader(usageBody)))
				if got.How != row.want || got.Units == 0 {
					t.Errorf("%+v, want %v", got, row.want)
				}
			})
		})
	}
}
