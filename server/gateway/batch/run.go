package batch

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/aiapi"
	"github.com/tuttinode/tutti/server/rpc"
)

// maxTries is how often a line is sent that an orchestrator or this node failed.
const maxTries = 3

// client is the address of a batch's requests, which no client can have.
const client = "batch"

// fate is what becomes of a line.
type fate int

const (
	// recorded: its answer is final.
	recorded fate = iota
	// again: it is tried again, later, and nothing was paid that counts.
	again
	// dropped: this process ends, or the batch does.
	dropped
)

// runLine has one line of a batch answered, and keeps the answer.
func (s *Server) runLine(j *job) {
	defer s.poke()
	l, err := s.nextLine(j)
	if err != nil {
		s.fail(j, fault.Wrap(fault.BatchStoreFailed, "read batch", err))
		s.settle(j, nil, dropped, 0)
		return
	}
	owner := j.account.owner
	room := s.opt.Limits.Answer + lineOverhead + int64(len(l.CustomID))*6
	if err := s.take(owner, room); err != nil {
		s.mu.Lock()
		others := j.account.running > 1
		s.mu.Unlock()
		if others { // they hold more than they will need
			s.settle(j, l, again, 0)
			return
		}
		s.fail(j, err)
		s.settle(j, l, dropped, 0)
		return
	}
	answer := s.send(j, l)
	what, text, retryAfter := s.weigh(j, l, answer)
	kept := int64(0)
	if what == recorded {
		if err := s.record(j, answer.status == http.StatusOK, text); err != nil {
			what = dropped
			s.fail(j, err)
		} else {
			kept = int64(len(text))
		}
	}
	s.give(owner, room-kept)
	if what == recorded {
		s.count(j, l, answer.status == http.StatusOK)
	}
	s.settle(j, l, what, retryAfter)
}

// record keeps an answer.
func (s *Server) record(j *job, good bool, text []byte) error {
	j.appending.Lock()
	defer j.appending.Unlock()
	name := j.Err
	if good {
		name = j.Out
	}
	return diskFault("store answer", appendAnswers(s.dataOf(name), text))
}

// count counts a line whose answer is on disk.
func (s *Server) count(j *job, l *line, good bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	j.done.add(l.ordinal)
	if good {
		j.Counts.Completed++
		s.tally.lines[lineCompleted]++
		j.wait = 0
		return
	}
	j.Counts.Failed++
	s.tally.lines[lineFailed]++
}

// settle ends a line in progress.
func (s *Server) settle(j *job, l *line, what fate, retryAfter time.Duration) {
	if what != recorded && l != nil {
		j.reading.Lock()
		j.retry = append(j.retry, l)
		j.reading.Unlock()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	j.running--
	j.account.running--
	s.tally.running--
	if what != recorded {
		j.left++
	}
	if what == again {
		s.tally.lines[lineRetried]++
		j.restLocked(s.opt.Now(), s.opt.Limits.FirstWait, retryAfter)
	}
	s.releaseLocked(j)
}

// fail ends a batch that cannot go on. What it has is kept.
func (s *Server) fail(j *job, err error) {
	s.opt.Log.Warn("a batch cannot go on", "batch", j.ID, fault.Attr(err))
	s.mu.Lock()
	if j.End == "" {
		j.record.fail(errorOf(err))
		j.haltLocked(failed)
	}
	s.mu.Unlock()
	if err := s.save(j); err != nil {
		s.opt.Log.Warn("a batch cannot be stored", "batch", j.ID, fault.Attr(err))
	}
}

// send has the gateway answer a line as it answers a client.
func (s *Server) send(j *job, l *line) (a *answer) {
	a = &answer{header: make(http.Header), most: s.opt.Limits.Answer}
	token, end, err := s.opt.Keys.Delegate(j.account.owner, s.opt.Rand)
	if err != nil {
		a.status = http.StatusInternalServerError
		return a
	}
	defer end()
	ctx, cancel := context.WithCancel(s.lines)
	defer cancel()
	a.cancel = cancel
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, l.URL, bytes.NewReader(l.Body))
	if err != nil {
		a.status = http.StatusInternalServerError
		return a
	}
	r.RemoteAddr, r.RequestURI = client, l.URL
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(rpc.RequestIDHeader, j.lineID(l.ordinal))
	r = aiapi.InBackground(r, &aiapi.Background{MaxPrice: s.opt.MaxPrice(), Stop: j.stop})
	defer func() {
		if what := recover(); what != nil {
			a.broken = true
			if what != http.ErrAbortHandler { //nolint:errorlint // net/http panics with this value itself
				s.opt.Log.Error("a line of a batch failed in the gateway", "batch", j.ID, "err", what)
			}
		}
	}()
	s.handler.ServeHTTP(a, r)
	return a
}

// weigh decides what becomes of a line, and returns the text of its answer.
func (s *Server) weigh(j *job, l *line, a *answer) (what fate, text []byte, retryAfter time.Duration) {
	code := fault.Code(a.header.Get(rpc.CodeHeader))
	out := resultLine{ID: j.lineID(l.ordinal), CustomID: l.CustomID}
	stopped := s.lines.Err() != nil || code == fault.Draining
	select {
	case <-j.stop:
		stopped = stopped || code == fault.Canceled
	default:
	}
	switch {
	case a.tooLong:
		out.Error = &resultError{"answer_too_long",
			"The answer is over the limit of " + strconv.FormatInt(a.most, 10) + " bytes."}
		a.status = 0
	case a.broken && s.lines.Err() == nil && l.tries+1 < maxTries:
		l.tries++
		return again, nil, 0
	case a.broken && s.lines.Err() == nil:
		a.status = 0
		out.Error = &resultError{string(fault.AnswerUnreadable), "The answer broke off."}
	case a.status == http.StatusOK && !json.Valid(a.body.Bytes()):
		a.status = 0
		out.Error = &resultError{string(fault.AnswerUnreadable), "The answer is not JSON."}
	case a.status != http.StatusOK && stopped, a.broken:
		return dropped, nil, 0
	case noCapacity(a.status, code):
		seconds, _ := strconv.Atoi(a.header.Get("Retry-After")) // none is 0
		return again, nil, time.Duration(max(0, min(seconds, 3600))) * time.Second
	case a.status >= http.StatusInternalServerError && l.tries+1 < maxTries:
		l.tries++
		return again, nil, 0
	default:
		out.Response = &resultAnswer{a.status, a.header.Get(rpc.RequestIDHeader), compacted(a.body.Bytes())}
	}
	return recorded, encodeAnswer(&out), 0
}

// noCapacity reports whether an answer says that the line may be sent later, and that nothing was
// paid for it.
func noCapacity(status int, code fault.Code) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable ||
		code == fault.NoOrchestratorReachable || code == fault.PriceTooHigh
}

// compacted returns JSON on one line.
func compacted(b []byte) json.RawMessage {
	var out bytes.Buffer
	if json.Compact(&out, b) != nil {
		return json.RawMessage(b) // encodeAnswer refuses it
	}
	return out.Bytes()
}

// answer is a ResponseWriter that keeps what is written.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
	most   int64
	cancel context.CancelFunc
	// tooLong: there is more than most. broken: the handler aborted.
	tooLong, broken bool
}

// Header returns the header.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader keeps the first status.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

// Write keeps b. The request ends where that is too much.
func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	if int64(a.body.Len()+len(b)) > a.most {
		a.tooLong = true
		a.cancel()
		return 0, context.Canceled
	}
	return a.body.Write(b)
}

var _ Keys = (*apikeys.Guard)(nil) // Read-only.
