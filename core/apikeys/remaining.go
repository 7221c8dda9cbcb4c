package apikeys

import "time"

// Rate is one limit per minute, at one moment.
type Rate struct {
	// Limit is 0 where there is none.
	Limit, Remaining int64
	// Reset is how long until nothing of the limit is used, if no more requests come.
	Reset time.Duration
}

// Rates are a key's limits per minute.
type Rates struct{ Requests, Tokens Rate }

// Rates returns the limits of the request's key, and what is left of them with this request.
func (g *Grant) Rates() Rates {
	if g == nil || g.account == nil {
		return Rates{}
	}
	return g.account.rates(g.ticket.key)
}

// Rates returns the limits of a listed key by its token, for a request that was refused; none for every other
// token.
func (g *Guard) Rates(token string) Rates {
	if token == "" {
		return Rates{}
	}
	hash, _ := g.hashOf(token)
	a := g.table.Load().byHash[hash]
	if a == nil {
		return Rates{}
	}
	return a.rates(nil)
}

// rates returns the limits under the webhook's answer, or the key's own if that is nil.
func (a *account) rates(answer *Key) Rates {
	a.mu.Lock()
	defer a.mu.Unlock()
	k := a.terms(answer)
	if k.RPM <= 0 && k.TPM <= 0 {
		return Rates{}
	}
	now := a.now()
	return Rates{Requests: a.requests.rate(now, int64(k.RPM)), Tokens: a.tokens.rate(now, int64(k.TPM))}
}

// rate returns what a limit of the window is at.
func (w *window) rate(now time.Time, limit int64) Rate {
	if limit <= 0 {
		return Rate{}
	}
	w.advance(now.Unix())
	r := Rate{Limit: limit, Remaining: max(0, limit-w.sum)}
	if w.counts == nil {
		return r
	}
	for second := w.last; second > w.last-windowSeconds; second-- {
		if w.counts[slotOf(second)] != 0 {
			r.Reset = max(0, time.Unix(second+windowSeconds, 0).Sub(now))
			break
		}
	}
	return r
}
