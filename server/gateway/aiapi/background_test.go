package aiapi_test

import (
	"context"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/tuttinode/tutti/core/airouting"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/aiapi"
	"github.com/tuttinode/tutti/server/gateway/broker"
)

// askBehind is ask for a request of a batch.
func (c *clients) askBehind(id string, b *aiapi.Background) *page {
	p := newPage()
	c.wg.Go(func() {
		r := httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(chatBody))
		r.Header.Set("X-Request-Id", id)
		c.n.handler.ServeHTTP(p, aiapi.InBackground(r, b))
	})
	synctest.Wait()
	return p
}

// A request of a batch begins only while no other request waits for its model, and can be called off before.
func TestBatchesComeLast(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := start(t, func(o *aiapi.Options) { o.Capacity = func(inference.Model) int { return 1 } })
		var order []string
		next := make(chan struct{})
		n.broker.answer = func(ctx context.Context, job *inference.Job) (*broker.Answer, error) {
			order = append(order, job.RequestID)
			<-next
			return says(chatAnswer)(ctx, job)
		}
		c := &clients{n: n}
		stop := make(chan struct{})
		c.askBehind("batch-1", &aiapi.Background{})
		c.askBehind("batch-2", &aiapi.Background{})
		stopped := c.askBehind("batch-3", &aiapi.Background{Stop: stop})
		first, second := c.ask("10.0.0.1"), c.ask("10.0.0.2")
		close(stop)
		synctest.Wait()
		if stopped.status == http.StatusOK || stopped.status == 0 || len(order) != 1 {
			t.Errorf("the one that was called off has status %d, %d run", stopped.status, len(order))
		}
		close(next)
		c.wg.Wait()
		if first.status != http.StatusOK || second.status != http.StatusOK || len(order) != 4 ||
			slices.Index(order, "batch-1") != 0 || slices.Index(order, "batch-2") != 3 {
			t.Errorf("the order is %v", order)
		}
	})
}

// A batch's bound on prices holds besides the client's own.
func TestBatchesHaveAPrice(t *testing.T) {
	t.Parallel()
	n := start(t, func(o *aiapi.Options) {
		o.WeiPerUSD = func(bool) (*big.Rat, bool) { return big.NewRat(1e15, 1), true }
	})
	for body, want := range map[string]int64{
		chatBody: 5e8,
		strings.Replace(chatBody, "{", `{"provider":{"max_price":{"completion":2}},`, 1):   5e8,
		strings.Replace(chatBody, "{", `{"provider":{"max_price":{"completion":0.1}},`, 1): 1e8,
	} {
		r := httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(body))
		rec := httptest.NewRecorder()
		n.handler.ServeHTTP(rec, aiapi.InBackground(r, &aiapi.Background{MaxPrice: big.NewRat(5e8, 1)}))
		_, hint := n.broker.last(t)
		if rec.Code != http.StatusOK || hint.Preferences == nil || hint.Preferences.MaxPrice == nil ||
			hint.Preferences.MaxPrice.Cmp(big.NewRat(want, 1)) != 0 {
			t.Errorf("%s: %d %s, %+v", body, rec.Code, rec.Body, hint.Preferences)
		}
	}
}

// While every orchestrator asks for more than batches pay, their requests may come again. A client's own bound is
// final.
func TestBatchesWaitForAPrice(t *testing.T) {
	t.Parallel()
	n := start(t, func(o *aiapi.Options) {
		o.WeiPerUSD = func(bool) (*big.Rat, bool) { return big.NewRat(1e15, 1), true }
	})
	n.broker.answer = func(context.Context, *inference.Job) (*broker.Answer, error) {
		return nil, &fault.Fault{Code: fault.OrchestratorsExcluded, Err: airouting.ErrAbovePrice}
	}
	for body, want := range map[string]string{
		chatBody: "503 PriceTooHigh",
		strings.Replace(chatBody, "{", `{"provider":{"max_price":{"completion":0.1}},`, 1): "404 OrchestratorsExcluded",
	} {
		r := httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(body))
		rec := httptest.NewRecorder()
		n.handler.ServeHTTP(rec, aiapi.InBackground(r, &aiapi.Background{MaxPrice: big.NewRat(5e8, 1)}))
		if got := fmt.Sprint(rec.Code, " ", rec.Header().Get("Tutti-Code")); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
	if g := n.local(http.MethodPost, "/v1/chat/completions", chatBody); g.status != http.StatusNotFound {
		t.Errorf("a client's request says %d %s", g.status, g.body)
	}
}
