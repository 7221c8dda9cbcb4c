package orchestrator

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/server/livevideo"
)

var _ livevideo.Payments = (*Paywall)(nil)

// Open takes the payment that came with the request for a session of live video, and charges for the session from
// then on: pixels of 720p at 30 pictures a second, by the clock.
func (p *Paywall) Open(r *http.Request, session string, model inference.Model) (livevideo.Meter, error) {
	payment, err := p.Read(r)
	if err != nil {
		return nil, err
	}
	work := orchestrate.LiveWork{Name: model.ID, Unit: orchestrate.LivePixels, App: model.String(), Model: &model}
	paid, err := p.Begin(r.Context(), payment, work, core.ManifestID(session))
	if err != nil {
		return nil, err
	}
	return newMeter(paid, p.Interval()), nil
}

// meter charges for one session until it is closed.
type meter struct {
	paid   *orchestrate.LiveSession
	stop   context.CancelFunc
	unpaid chan struct{}
	done   sync.WaitGroup
}

func newMeter(paid *orchestrate.LiveSession, interval time.Duration) *meter {
	ctx, stop := context.WithCancel(context.Background())
	m := &meter{paid: paid, stop: stop, unpaid: make(chan struct{})}
	m.done.Go(func() { m.run(ctx, interval) })
	return m
}

// looksPerInterval is how often a meter looks whether an interval is over.
const looksPerInterval = 20

func (m *meter) run(ctx context.Context, interval time.Duration) {
	look := time.NewTicker(max(interval/looksPerInterval, time.Millisecond))
	defer look.Stop()
	for {
		select {
		case <-look.C:
			if m.paid.Due() && m.paid.Charge() != nil {
				close(m.unpaid)
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// Unpaid is closed when the account holds less than was due.
func (m *meter) Unpaid() <-chan struct{} { return m.unpaid }

// Close charges what is due, and ends the session's payment.
func (m *meter) Close() {
	m.stop()
	m.done.Wait()
	m.paid.End()
}

// Drop ends the payment of a session for which nothing was done.
func (m *meter) Drop() {
	m.stop()
	m.done.Wait()
	m.paid.Drop()
}
