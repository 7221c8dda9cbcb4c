package broker_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/broker"
	"github.com/tuttinode/tutti/server/rpc"
)

// What an orchestrator charges is reported with its answer, and with the error of a job whose
// client left while it was worked on.
func TestBilledUnits(t *testing.T) {
	t.Parallel()
	p := newWallet(t)
	paid := fake(t, "a")
	l := paid.charge(p, 600)
	s := start(t, paying(p, nil), paid)
	if _, a := s.mustAsk(t); a.Billed != 8 {
		t.Errorf("paid: billed %d units", a.Billed)
	}
	if _, a := start(t, nil, fake(t, "b")).mustAsk(t); a.Billed != 0 {
		t.Errorf("free: billed %d units", a.Billed)
	}
	ctx, leave := context.WithCancel(t.Context())
	l.handle = func(_ http.ResponseWriter, r *http.Request) {
		leave()
		<-r.Context().Done()
	}
	if _, _, err := s.ask(ctx, chat(), broker.Hint{}); !errors.Is(err, fault.Canceled) || broker.Billed(err) != 8 {
		t.Errorf("left: %v, billed %d units", err, broker.Billed(err))
	}
	if _, _, err := s.ask(ctx, chat(), broker.Hint{}); err == nil || broker.Billed(err) != 0 {
		t.Errorf("left before it was sent: %v, billed %d units", err, broker.Billed(err))
	}
}

// A request that costs more than the gateway pays for one is the client's to change: the
// fault says so, with the price and the number that would do.
func TestARequestThatIsTooExpensive(t *testing.T) {
	t.Parallel()
	p := newWallet(t)
	o := fake(t, "a")
	o.charge(p, 600)
	s := start(t, paying(p, nil), o)
	const most = 600 * ticketEV // as many tickets as one payment has, at 1 wei a unit
	job := chat()
	job.Units = most + 1
	_, _, err := s.ask(t.Context(), job, broker.Hint{})
	if !errors.Is(err, fault.RequestTooExpensive) || fault.ClassOf(err) != fault.BadRequest {
		t.Fatalf("got %v", err)
	}
	_, text := fault.Public(err)
	for _, part := range []string{"max_tokens", "60001", "1 wei", "60000"} {
		if !strings.Contains(text, part) {
			t.Errorf("the text does not have %q: %s", part, text)
		}
	}
	job.Units = most
	if _, _, err := s.ask(t.Context(), job, broker.Hint{}); err != nil {
		t.Errorf("the number that was named: %v", err)
	}
	// Another orchestrator is cheap enough, and full for the moment.
	cheap := fake(t, "b")
	books := cheap.charge(p, 600)
	cheap.offers(func(i *rpc.OrchestratorInfo) {
		i.Address = append(make([]byte, 19), 8)
		i.PriceInfo = &rpc.PriceInfo{PricePerUnit: 1, PixelsPerUnit: 1000}
		i.TicketParams = books.params()
	}).does(func(_ int, w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusServiceUnavailable, "OrchestratorFull", "insufficient capacity")
	})
	job.Units = inference.Units(most + 1)
	s = start(t, paying(p, hurried), o, cheap)
	if _, _, err := s.ask(t.Context(), job, broker.Hint{}); !errors.Is(err, fault.OrchestratorsFull) {
		t.Errorf("a cheaper one is full: %v", err)
	}
}
