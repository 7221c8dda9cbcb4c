package orchestrator

import (
	"net/http"
	"time"
)

const (
	// paceGrace is added to the time of every transfer.
	paceGrace = 8 * time.Second
	// minPace is the slowest accepted transfer, in bytes per second.
	minPace = 64 << 10
	// paceStep is how many bytes arrive between two checks of the pace.
	paceStep = 512 << 10
)

// paced returns how long a transfer of n bytes may take.
func paced(n int) time.Duration {
	return paceGrace + time.Duration(n)*time.Second/minPace
}

// readPace sets the deadline of a body's connection, and extends it as bytes arrive, up to
// most.
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

// allow sets the total time for the body. The answer has its own time after that.
func (p *readPace) allow(most time.Duration) {
	p.most, p.next = most, 0
	p.progress(0)
	_ = p.ctl.SetWriteDeadline(p.start.Add(most + requestTimeout))
}

// progress extends the deadline. If the connection does not support it, the server's own
// deadline applies.
func (p *readPace) progress(received int) {
	if received < p.next {
		return
	}
	p.next = received + paceStep
	_ = p.ctl.SetReadDeadline(p.start.Add(min(paced(received), p.most)))
}

// done removes the deadline: the peer has sent the body.
func (p *readPace) done() {
	_ = p.ctl.SetReadDeadline(time.Time{})
	_ = p.ctl.SetWriteDeadline(time.Time{})
}

// writeBy sets the deadline for an answer of n bytes.
func writeBy(w http.ResponseWriter, now time.Time, n int) {
	_ = http.NewResponseController(w).SetWriteDeadline(now.Add(paced(n)))
}
