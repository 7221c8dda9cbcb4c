package sender

import (
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
)

const (
	// priceIdle is how long the first price of a stream or a session is remembered
	// after it was paid for last; tokens hold for 30 minutes. A model has no end, so
	// its first price counts for that long from its beginning, whoever pays.
	priceIdle = 30 * time.Minute
	// maxPrices bounds the first prices of one orchestrator, maxPricesAll those of all.
	maxPrices, maxPricesAll = 1 << 14, 1 << 18
)

// priceKey names what has one first price: an orchestrator's work for a stream, for a
// model, or in a session whose stream is not known. A new session of a stream is
// none: else it could be paid any price by renewing its token.
type priceKey struct{ owner, kind, name string }

func (t *Terms) price() priceKey {
	switch {
	case t.Model != "":
		return priceKey{t.owner(), "model " + t.Pipeline, t.Model}
	case t.Stream != "":
		return priceKey{t.owner(), "stream", string(t.Stream)}
	}
	return priceKey{t.owner(), "session", string(t.Session)}
}

// first is the price with which something began.
type firstPrice struct {
	price pm.Price
	// used is when it was paid for last, for a model when it began.
	used time.Time
}

// checkPrice compares a price with the first one.
func (s *Sender) checkPrice(t *Terms, now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := t.price()
	x := s.prices[k]
	switch {
	case x == nil:
		if !s.priceQuota.acquire(k.owner) {
			return fault.New(fault.SessionsTooMany, "make payment", "first prices of "+t.Peer)
		}
		s.prices[k] = &firstPrice{t.Price, now}
		return nil
	case now.Sub(x.used) >= priceIdle:
		x.price = t.Price
	}
	if err := pm.CheckPrice(x.price, t.Price); err != nil {
		return err // who only tries does not keep the price in mind
	}
	if t.Model == "" || now.Sub(x.used) >= priceIdle {
		x.used = now
	}
	return nil
}

// sweepPrices forgets first prices that do not count any more. It is called with the
// lock held.
func (s *Sender) sweepPricesLocked(now time.Time) {
	for k, x := range s.prices {
		if now.Sub(x.used) >= priceIdle {
			delete(s.prices, k)
			s.priceQuota.release(k.owner)
		}
	}
}
