package airouting

import "time"

const (
	// maxFailing bounds the clients whose failures are tracked per orchestrator.
	maxFailing = 64
	// maxClientPoints bounds the loss points that one client may cause: a quarter of what makes an
	// orchestrator rest for all.
	maxClientPoints = maxLosses / 4
)

// failing is one client's failures at one orchestrator: its requests may be the cause.
type failing struct {
	row     int // in a row
	rests   int // in a row
	counted bool
	at      time.Time // the last failure
	until   time.Time // end of the rest for this client
}

// clients are the failures by client. A client's failures in a row make the orchestrator rest for
// that client, and count once towards a rest for all.
type clients map[string]failing

// failed records a failure of a client, and reports whether it counts for all: each client's first
// in a row does. spread is between 0 and 1.
func (x clients) failed(client string, now time.Time, spread float64) (counts bool) {
	f, known := x[client]
	if !known && len(x) >= maxFailing {
		x.forgetOne()
	}
	counts = !f.counted
	f.counted, f.at = true, now
	if f.row++; f.row >= failuresToEject && !now.Before(f.until) {
		full := min(maxRest, firstRest<<min(f.rests, 10))
		f.until = now.Add(full - time.Duration(spread*float64(full)/5))
		f.rests++
	}
	x[client] = f
	return counts
}

// served resets a client's failures, and lets those of others count again.
func (x clients) served(client string) {
	delete(x, client)
	for other, f := range x {
		f.counted = false
		x[other] = f
	}
}

// rests reports whether the orchestrator rests for a client; retry, that the client may still try
// it if there is no other.
func (x clients) rests(client string, now time.Time) (rests, retry bool) {
	f := x[client]
	return now.Before(f.until), now.Sub(f.at) >= minRetry
}

// forgetOne drops the client whose last failure is the oldest.
func (x clients) forgetOne() {
	var oldest string
	var at time.Time
	for client, f := range x {
		if at.IsZero() || f.at.Before(at) {
			oldest, at = client, f.at
		}
	}
	delete(x, oldest)
}

// claim is one client's part in an orchestrator's losses.
type claim struct {
	// points are its share of the common loss points; own are all that it caused.
	points, own int
	rests       int
	until       time.Time
}

// claims are the losses by client.
type claims map[string]claim

// lost records a loss of a client and returns the points that count for all. Beyond its share the
// orchestrator rests for that client alone.
func (x claims) lost(client string, points int, now time.Time) int {
	c, known := x[client]
	if !known && len(x) >= maxFailing {
		x.forgetOne()
	}
	shared := max(0, min(points, maxClientPoints-c.points))
	c.points += shared
	if c.own += points; c.own >= maxLosses && !now.Before(c.until) {
		c.until = now.Add(min(maxPaymentRest, firstPaymentRest<<min(c.rests, 10)))
		c.rests++
		c.own = maxLosses - RefusedLoss.points()
	}
	x[client] = c
	return shared
}

// answered takes points off for a client that got an answer, and resets all shares when no common
// points are left.
func (x claims) answered(client string, left int) {
	c, known := x[client]
	if known {
		c.own, c.points = max(0, c.own-pointsBack), max(0, c.points-pointsBack)
		x[client] = c
		if c.own == 0 {
			delete(x, client)
		}
	}
	if left > 0 {
		return
	}
	for other, c := range x {
		c.points = 0
		x[other] = c
	}
}

// forgetOne drops the client with the smallest share.
func (x claims) forgetOne() {
	least, own := "", -1
	for client, c := range x {
		if own < 0 || c.own < own {
			least, own = client, c.own
		}
	}
	delete(x, least)
}
