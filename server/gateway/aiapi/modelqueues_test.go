package aiapi_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/aiapi"
	"github.com/tuttinode/tutti/server/gateway/broker"
)

// crowd sends requests from one address after another and keeps their answers.
type clients struct {
	n  *node
	wg sync.WaitGroup
}

func (c *clients) ask(address string) *page {
	p := newPage()
	c.wg.Go(func() {
		r := httptest.NewRequest(http.MethodPost, "/llm", strings.NewReader(chatBody))
		r.RemoteAddr = address + ":1"
		c.n.handler.ServeHTTP(p, r)
	})
	synctest.Wait()
	return p
}

func TestQueueOfAModel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := start(t, func(o *aiapi.Options) {
			o.Capacity = func(m inference.Model) int { return len(m.ID) - len("m/llama") + 1 } // 1
			o.Limits.Queue = 2
		})
		var order []string
		next := make(chan struct{})
		n.broker.answer = func(ctx context.Context, job *inference.Job) (*broker.Answer, error) {
			order = append(order, job.RequestID)
			<-next
			return says(chatAnswer)(ctx, job)
		}
		c := &clients{n: n}
		c.ask("10.0.0.1")
		waiting := c.ask("10.0.0.1")
		c.ask("10.0.0.2")
		full := c.ask("10.0.0.1")
		want := object("the queue of this model is full; try again later", "server_error", "ModelBusy")
		if full.status != http.StatusServiceUnavailable || full.body.String() != want ||
			full.header.Get("Retry-After") != "1" {
			t.Errorf("status %d, %v, %s", full.status, full.header, full.body.String())
		}
		if waiting.status != 0 {
			t.Errorf("the waiting request has status %d", waiting.status)
		}
		close(next)
		c.wg.Wait()
		if len(order) != 3 || waiting.status != http.StatusOK {
			t.Errorf("%d were served, the waiting one has status %d", len(order), waiting.status)
		}
	})
}

// The addresses of one IPv6 /64 are one client: they leave the queue of a model to others.
func TestOneNetworkLeavesTheQueueToOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := start(t, func(o *aiapi.Options) { o.Limits.PerModel, o.Limits.Queue = 1, 2 })
		next := make(chan struct{})
		n.broker.answer = func(ctx context.Context, job *inference.Job) (*broker.Answer, error) {
			<-next
			return says(chatAnswer)(ctx, job)
		}
		c := &clients{n: n}
		for _, address := range []string{"[2001:db8::1]", "[2001:db8::2]", "[2001:db8::3]"} {
			c.ask(address)
		}
		other := c.ask("10.0.0.2")
		close(next)
		c.wg.Wait()
		if other.status != http.StatusOK {
			t.Errorf("the other client: status %d, %s", other.status, other.body.String())
		}
	})
}

func TestWaitIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := start(t, func(o *aiapi.Options) { o.Limits.PerModel = 1 })
		next := make(chan struct{})
		n.broker.answer = func(ctx context.Context, job *inference.Job) (*broker.Answer, error) {
			<-next
			return says(chatAnswer)(ctx, job)
		}
		c := &clients{n: n}
		c.ask("10.0.0.1")
		late := c.ask("10.0.0.2")
		<-time.After(time.Minute)
		synctest.Wait()
		if late.status != http.StatusServiceUnavailable || !strings.Contains(late.body.String(), "ModelBusyTooLong") {
			t.Errorf("status %d, %s", late.status, late.body.String())
		}
		close(next)
		c.wg.Wait()
	})
}

// A client that leaves while it waits gives up its position in the queue.
func TestLeavingTheQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := start(t, func(o *aiapi.Options) { o.Limits.PerModel, o.Limits.Queue = 1, 1 })
		next := make(chan struct{})
		n.broker.answer = func(ctx context.Context, job *inference.Job) (*broker.Answer, error) {
			<-next
			return streams(io.EOF, lastEvent)(ctx, job)
		}
		c := &clients{n: n}
		c.ask("10.0.0.1")
		ctx, cancel := context.WithCancel(t.Context())
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			n.handler.ServeHTTP(newPage(), httptest.NewRequest(http.MethodPost, "/llm",
				strings.NewReader(chatBody)).WithContext(ctx))
		}()
		synctest.Wait()
		cancel()
		<-gone
		other := c.ask("10.0.0.3")
		if other.status != 0 {
			t.Errorf("the place is not free: %d", other.status)
		}
		close(next)
		c.wg.Wait()
		if got := n.figures.done[0]; got.Status != 499 || got.Code != "Canceled" {
			t.Errorf("figures %+v", got)
		}
	})
}
