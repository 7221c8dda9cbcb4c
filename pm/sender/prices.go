package sender

import (
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
)

const (
	// priceIdle is how long the first price of a stream or a session is remembered after its
	// last payment: as long as a quote. A model has no end, so its first price
	// counts for that long from its beginning.
	priceIdle = pm.QuoteLife
	// maxPrices bounds the first prices of one orchestrator, maxPricesAll those of all.
	maxPrices, maxPricesAll = 1 << 14, 1 << 18
)

// priceKey names what has one first price: an orchestrator's work for a stream, for a model, or
// in a session of an unknown stream. A new session of a stream has none of its own: else an
// orchestrator could raise its price by renewing its token.
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

// firstPrice is the price with which something began.
type firstPrice struct {
	price pm.Price
	// used is the time of the last payment, for a model of the first.
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
		return err // a refused price does not extend the first one
	}
	if t.Model == "" || now.Sub(x.used) >= priceIdle {
		x.used = now
	}
	return nil
}

// sweepPricesLocked drops first prices that no longer count.
func (s *Sender) sweepPricesLocked(now time.Time) {
	for k, x := range s.prices {
		if now.Sub(x.used) >= priceIdle {
			delete(s.prices, k)
			s.priceQuota.release(k.owner)
		}
	}
}
