package orchestrate

import (
	"context"
	"sync"
	"time"
)

// LiveMeter charges for one session of live work until it is closed.
type LiveMeter struct {
	paid   *LiveSession
	stop   context.CancelFunc
	unpaid chan struct{}
	// cut has an element once another process says that the work is not paid any more.
	cut  chan struct{}
	done sync.WaitGroup
}

// NewLiveMeter charges for a session at its node's interval. The caller must close the meter, which ends the
// session's payment.
func NewLiveMeter(paid *LiveSession) *LiveMeter {
	ctx, stop := context.WithCancel(context.Background())
	m := &LiveMeter{paid: paid, stop: stop, unpaid: make(chan struct{}), cut: make(chan struct{}, 1)}
	m.done.Go(func() { m.run(ctx, paid.o.opt.LiveInterval) })
	return m
}

// looksPerInterval is how often a meter looks whether an interval is over.
const looksPerInterval = 20

func (m *LiveMeter) run(ctx context.Context, interval time.Duration) {
	look := time.NewTicker(max(interval/looksPerInterval, time.Millisecond))
	defer look.Stop()
	for {
		select {
		case <-look.C:
			if m.paid.Due() && m.paid.Charge() != nil {
				close(m.unpaid)
				return
			}
		case <-m.cut:
			close(m.unpaid)
			return
		case <-ctx.Done():
			return
		}
	}
}

// Charged returns the units billed so far.
func (m *LiveMeter) Charged() int64 { return m.paid.Charged() }

// HandOver charges what is due, and has charge take what comes later, see LiveSession.HandOver.
func (m *LiveMeter) HandOver(charge func(units int64)) bool { return m.paid.HandOver(charge) }

// Cut says that the work is not paid any more.
func (m *LiveMeter) Cut() {
	select {
	case m.cut <- struct{}{}:
	default: // it was said already
	}
}

// Unpaid is closed when the account holds less than was due.
func (m *LiveMeter) Unpaid() <-chan struct{} { return m.unpaid }

// Close charges what is due, and ends the session's payment. It is idempotent.
func (m *LiveMeter) Close() {
	m.stop()
	m.done.Wait()
	m.paid.End()
}

// Drop ends the payment of a session for which nothing was done.
func (m *LiveMeter) Drop() {
	m.stop()
	m.done.Wait()
	m.paid.Drop()
}
