package videorouting

import "time"

// DiscoveryWait is how long discovery waits for answers.
type DiscoveryWait struct {
	// First is when discovery uses the answers it has; default 500 ms.
	First time.Duration
	// Stop is when it gives up without a usable answer; default 6 s.
	Stop time.Duration
	// FirstCome uses the first good answer at once. Off-chain the fastest is the best; where price
	// and stake count, answers are collected for First.
	FirstCome bool
}

// Default times of discovery.
const (
	discoveryFirst = 500 * time.Millisecond
	discoveryStop  = 6 * time.Second
)

// Answers counts the answers of a discovery so far.
type Answers struct {
	// Usable orchestrators, Good ones among them: those that are not suspended.
	Usable, Good int
	// Open is the number of missing answers.
	Open int
}

// Done reports whether discovery is over with these answers after elapsed.
func (p DiscoveryWait) Done(a Answers, elapsed time.Duration) bool {
	switch {
	case a.Open == 0, elapsed >= p.stop():
		return true
	case p.FirstCome && a.Good > 0:
		return true
	}
	return a.Usable > 0 && elapsed >= p.first()
}

// Next returns how long to wait before calling Done again without a new answer: to the end of the first
// window, then of windows that double, and at last of the hard stop. It is 0 when that is over.
func (p DiscoveryWait) Next(elapsed time.Duration) time.Duration {
	end := p.first()
	for end <= elapsed && end < p.stop() {
		end *= 2
	}
	return max(0, min(end, p.stop())-elapsed)
}

func (p DiscoveryWait) first() time.Duration {
	if p.First <= 0 {
		return discoveryFirst
	}
	return p.First
}

func (p DiscoveryWait) stop() time.Duration {
	if p.Stop <= 0 {
		return max(discoveryStop, p.first())
	}
	return p.Stop
}

// Limit returns the hard stop.
func (p DiscoveryWait) Limit() time.Duration { return p.stop() }
