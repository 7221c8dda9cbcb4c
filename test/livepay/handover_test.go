package livepay

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/server/liverunner"
)

// slowPayments take a payment, and say so when they are told.
type slowPayments struct {
	liverunner.Payments
	taken, answer chan struct{}
}

func (p *slowPayments) Begin(ctx context.Context, x *orchestrate.LivePayment, work orchestrate.LiveWork,
	manifest core.ManifestID) (*orchestrate.LiveSession, error) {
	s, err := p.Payments.Begin(ctx, x, work, manifest)
	close(p.taken)
	<-p.answer
	return s, err
}

// TestAHandoverDuringAPayment: a session whose payment is taken while another process takes over is begun in
// neither: no process would charge for it.
func TestAHandoverDuringAPayment(t *testing.T) {
	t.Parallel()
	n := newNode(t, 1e11)
	app := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(app.Close)
	slow := &slowPayments{taken: make(chan struct{}), answer: make(chan struct{})}
	n.payments = func(p liverunner.Payments) liverunner.Payments { slow.Payments = p; return slow }
	n.public.Close()
	n.start()
	n.register(`{"label":"hour","app":"demo/hour","capacity":2,"price_info":{"price":1.5},"routing":"label",
		"health_url":"/health","runner_url":"` + app.URL + `"}`)
	payer := n.payer(1)
	c, s := n.challenge("POST", "/apps/hour/session", payer)
	h, got := n.paid(s, 10), make(chan answer)
	go func() { got <- n.send("POST", "/apps/hour/session", "", h) }()
	<-slow.taken
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := n.live.HandOver(ctx); err != nil {
		t.Fatal(err)
	}
	if err := n.live.Run(ctx, func() {}); err != nil {
		t.Fatal(err)
	}
	left := n.live.State()
	var ended []string
	line := n.live.LineAfter(func(u liverunner.Update) { ended = append(ended, u.Ended...) })
	defer line.Close()
	close(slow.answer)
	n.expect("reserve", <-got, http.StatusServiceUnavailable,
		"Draining: another process has taken over, repeat the request\n")
	if len(left.Sessions) != 1 || len(ended) != 1 || ended[0] != string(c.Manifest) {
		t.Errorf("the other process got %d sessions and is notified of the end of %v", len(left.Sessions), ended)
	}
	if u := n.orch.Usage(); u.Sessions != 0 || n.used("hour") != 0 {
		t.Errorf("%d sessions and %d slots are left", u.Sessions, n.used("hour"))
	}
	if _, units := n.credited(payer, c.Manifest); units != 0 {
		t.Errorf("%d seconds were charged", units)
	}
}
