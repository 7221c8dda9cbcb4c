package orchestrator

import (
	"net/http"
	"time"
)

const (
	// paceGrace is what every transfer gets on top of its pace.
	paceGrace = 8 * time.Second
	// minPace is the slowest transfer that is put up with, in bytes per second.
	minPace = 64 << 10
	// paceStep is how many bytes go between two looks at the pace.
	paceStep = 512 << 10
)

// paced is how long a transfer of n bytes may take.
func paced(n int) time.Duration {
	return paceGrace + time.Duration(n)*time.Second/minPace
}

// readPace gives a body's deadline to its connection, and moves it on as bytes
// come in, but not beyond most in all.
type readPace struct {
	ctl   *http.ResponseController
	start time.Time
	most  time.Duration
	next  int
}

func newReadPace(w http.ResponseWriter, now time.Time, most time.Duration) *readPace {
	p := &readPace{ctl: http.NewResponseController(w), start: now}
	p.allow(most)
	return p
}

// allow sets what the body may take in all. The answer, if it comes to one, has
// its own time after that.
func (p *readPace) allow(most time.Duration) {
	p.most, p.next = most, 0
	p.progress(0)
	_ = p.ctl.SetWriteDeadline(p.start.Add(most + requestTimeout))
}

// progress moves the deadline on. Every connection of this server has one; one
// that cannot take it is cut off by the server's own.
func (p *readPace) progress(received int) {
	if received < p.next {
		return
	}
	p.next = received + paceStep
	_ = p.ctl.SetReadDeadline(p.start.Add(min(paced(received), p.most)))
}

// done lifts the deadline: the rest of the request is ours to be slow with.
func (p *readPace) done() {
	_ = p.ctl.SetReadDeadline(time.Time{})
	_ = p.ctl.SetWriteDeadline(time.Time{})
}

// writeBy gives an answer of n bytes its time.
func writeBy(w http.ResponseWriter, now time.Time, n int) {
	_ = http.NewResponseController(w).SetWriteDeadline(now.Add(paced(n)))
}
