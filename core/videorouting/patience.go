package videorouting

import "time"

// Patience is how long discovery waits for answers.
type Patience struct {
	// First is when discovery takes what it has; default 500 ms.
	First time.Duration
	// Stop is when it gives up although nothing usable came; default 6 s.
	Stop time.Duration
	// FirstCome takes the first good answer at once. Off-chain the quickest is
	// the best; where price and stake count, answers are collected for First.
	FirstCome bool
}

// Default times of discovery.
const (
	discoveryFirst = 500 * time.Millisecond
	discoveryStop  = 6 * time.Second
)

// Answers counts what discovery has so far.
type Answers struct {
	// Usable orchestrators, Good ones among them: those that are not suspended.
	Usable, Good int
	// Open are those that have not answered.
	Open int
}

// Done reports whether discovery is over with these answers after so long.
func (p Patience) Done(a Answers, elapsed time.Duration) bool {
	switch {
	case a.Open == 0, elapsed >= p.stop():
		return true
	case p.FirstCome && a.Good > 0:
		return true
	}
	return a.Usable > 0 && elapsed >= p.first()
}

// Next is how long from now on to wait before asking Done again although no
// answer came: to the end of the first window, then of windows that double, and
// of the hard stop at last. It is 0 when that is over.
func (p Patience) Next(elapsed time.Duration) time.Duration {
	end := p.first()
	for end <= elapsed && end < p.stop() {
		end *= 2
	}
	return max(0, min(end, p.stop())-elapsed)
}

func (p Patience) first() time.Duration {
	if p.First <= 0 {
		return discoveryFirst
	}
	return p.First
}

func (p Patience) stop() time.Duration {
	if p.Stop <= 0 {
		return max(discoveryStop, p.first())
	}
	return p.Stop
}

// Limit is the hard stop.
func (p Patience) Limit() time.Duration { return p.stop() }
