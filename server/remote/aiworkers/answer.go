package aiworkers

import (
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fairqueue"
)

// extendEvery is how often the read deadline of an answer in progress is extended.
const extendEvery = 20 * time.Second

// answer is an answer in progress. The handler of the worker's request reads its body into a
// backlog, from which the waiting job takes it at its gateway's pace.
type answer struct {
	status              int
	contentType, worker string
	// from is the instance of the sending worker, "" without one.
	from string
	// length is the body's length, -1 when unknown.
	length int64
	// err is a failure in place of an answer.
	err error
	// closed is closed when reading has ended.
	closed chan struct{}
	body   io.Reader
	// src is the worker's request and backlog what came of it; nil for an answer that came whole.
	src     io.Reader
	backlog *backlog
	// accepted is closed when its job takes it.
	accepted chan struct{}
	// releaseMemory, if set, releases the memory budget of the bytes.
	releaseMemory func()

	mu         sync.Mutex
	ctl        *http.ResponseController // guarded by mu; nil once the handler may be gone
	extendedAt time.Time                // guarded by mu
	maxPause   time.Duration            // guarded by mu
	ended      bool                     // guarded by mu
	complete   bool                     // guarded by mu; it was read to its end
}

func newAnswer(body io.Reader) *answer {
	return &answer{status: http.StatusOK, length: -1, closed: make(chan struct{}), accepted: make(chan struct{}),
		body: body, maxPause: stallTime}
}

// newStreamed returns an answer whose body passes to its job while it is read from src.
func newStreamed(src io.Reader, memory *fairqueue.Budget) *answer {
	b := newBacklog(memory)
	a := newAnswer(b)
	a.src, a.backlog = src, b
	return a
}

// accept begins the answer for a party's job.
func (a *answer) accept(party string) {
	if a.backlog != nil {
		a.backlog.party = party
	}
	close(a.accepted)
}

// receive reads a streamed answer from its worker once its job takes it, and reports whether it came to
// its end. It returns when the answer is over for its worker, which may be long before its gateway has
// taken it.
func (a *answer) receive() (complete bool) {
	select {
	case <-a.accepted:
	case <-a.closed:
		return false
	}
	defer func() {
		a.mu.Lock()
		a.ctl = nil // the handler returns
		a.mu.Unlock()
	}()
	buf := make([]byte, smallRead)
	for {
		a.extendDeadline(false)
		n, err := a.src.Read(buf)
		if n > 0 && !a.backlog.put(buf[:n]) {
			return false
		}
		if err != nil {
			a.backlog.finish(err)
			return err == io.EOF
		}
		if n == len(buf) && n < largeRead {
			buf = make([]byte, largeRead)
		}
	}
}

// read reads the body as it arrives.
func (a *answer) read(p []byte) (int, error) {
	n, err := a.body.Read(p)
	if err == io.EOF {
		a.end(true)
	}
	return n, err
}

// extendDeadline extends the read deadline, now or when it is close.
func (a *answer) extendDeadline(now bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ctl == nil || !now && time.Since(a.extendedAt) < min(extendEvery, a.maxPause/2) {
		return
	}
	a.extendedAt = time.Now()
	// Without deadlines the server detects a dead connection by other means.
	_ = a.ctl.SetReadDeadline(a.extendedAt.Add(a.maxPause))
}

// limitPause lowers the time that the answer may pause from now on.
func (a *answer) limitPause(d time.Duration) {
	a.mu.Lock()
	a.maxPause = min(a.maxPause, d)
	a.mu.Unlock()
	a.extendDeadline(true)
}

// shortenStall gives an answer of a lost worker little time for its next byte.
func (a *answer) shortenStall() {
	a.mu.Lock()
	a.maxPause = lostTime
	a.mu.Unlock()
	a.extendDeadline(true)
}

// end releases the handler and interrupts a waiting read. Only the first call counts.
func (a *answer) end(complete bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ended {
		return
	}
	a.ended, a.complete = true, complete
	if a.ctl != nil && !complete {
		_ = a.ctl.SetReadDeadline(time.Unix(1, 0))
	}
	a.ctl = nil
	if a.releaseMemory != nil {
		a.releaseMemory()
	}
	if a.backlog != nil && !complete {
		a.backlog.drop()
	}
	close(a.closed)
}

// isComplete reports whether the answer was read to its end.
func (a *answer) isComplete() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.complete
}
