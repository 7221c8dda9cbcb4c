package aiworkers

import (
	"io"
	"net/http"
	"sync"
	"time"
)

// armAgain is how often an answer that flows has its deadline moved on.
const extendEvery = 20 * time.Second

// arrival is an answer that has begun. Its body passes from the request that brings
// it to the job that waits for it; the request's handler stays until it is over.
type answer struct {
	status              int
	contentType, worker string
	// from is the instance of the worker that brings it, "" where it has none.
	from string
	// length is the body's, -1 when it is not known.
	length int64
	// err is a failure that came in place of an answer.
	err error
	// over is closed when nobody reads any more; whole says that it was read to its end.
	over chan struct{}
	body io.Reader
	// done gives back what the bytes hold.
	done func()

	mu         sync.Mutex
	ctl        *http.ResponseController // guarded by mu; nil once the handler may be gone
	extendedAt time.Time                // guarded by mu
	stall      time.Duration            // guarded by mu
	whole      bool                     // guarded by mu
	ended      bool                     // guarded by mu
}

func newAnswer(body io.Reader) *answer {
	return &answer{status: http.StatusOK, length: -1, over: make(chan struct{}), body: body, stall: stallTime}
}

// read reads the body as it comes.
func (a *answer) read(p []byte) (int, error) {
	a.extendDeadline(false)
	n, err := a.body.Read(p)
	if err == io.EOF {
		a.end(true)
	}
	return n, err
}

// arm moves the deadline on, now or when it has come near.
func (a *answer) extendDeadline(now bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ctl == nil || !now && time.Since(a.extendedAt) < min(extendEvery, a.stall/2) {
		return
	}
	a.extendedAt = time.Now()
	// A server that knows no deadlines notices a dead connection by other means.
	_ = a.ctl.SetReadDeadline(a.extendedAt.Add(a.stall))
}

// pause is how long the answer may pause from now on, where it was not less before.
func (a *answer) limitPause(d time.Duration) {
	a.mu.Lock()
	a.stall = min(a.stall, d)
	a.mu.Unlock()
	a.extendDeadline(true)
}

// hurry gives an answer whose worker seems to be lost little time for its next byte.
func (a *answer) shortenStall() {
	a.mu.Lock()
	a.stall = lostTime
	a.mu.Unlock()
	a.extendDeadline(true)
}

// end lets the handler go. A read that waits ends at once. It may be called again;
// the first call counts.
func (a *answer) end(whole bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ended {
		return
	}
	a.ended, a.whole = true, whole
	if a.ctl != nil && !whole {
		_ = a.ctl.SetReadDeadline(time.Unix(1, 0))
	}
	a.ctl = nil
	if a.done != nil {
		a.done()
	}
	close(a.over)
}

// complete reports whether the answer was read to its end.
func (a *answer) complete() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.whole
}
