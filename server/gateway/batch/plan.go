package batch

import (
	"errors"
	"os"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// plan starts what can be started now: checks of files, lines, and the end of batches.
func (s *Server) plan(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return
	}
	for _, j := range s.active {
		s.stepLocked(j, now)
	}
	if !s.paused && !s.validating {
		if j := s.uncheckedLocked(); j != nil {
			s.validating, j.busy = true, true
			s.work.Go(func() { s.check(j) })
		}
	}
	for !s.paused && s.tally.running < s.opt.Limits.Concurrency {
		j := s.nextLocked(now)
		if j == nil {
			return
		}
		j.left--
		j.running++
		j.account.running++
		s.tally.running++
		s.work.Go(func() { s.runLine(j) })
	}
}

// stepLocked ends a batch whose lines have answers or whose time is over.
func (s *Server) stepLocked(j *job, now time.Time) {
	if j.foreign || j.busy || s.leaving {
		return
	}
	switch {
	case j.End != "":
	case now.Unix() >= j.ExpiresAt:
		j.haltLocked(expired)
	case j.Status == inProgress && j.left == 0 && j.running == 0:
		j.haltLocked(completed)
	}
	if j.End != "" && j.running == 0 && !j.endsAfter.After(now) {
		j.busy = true
		s.work.Go(func() { s.finish(j) })
	}
}

// uncheckedLocked returns the batch whose file is checked next: keys with fewer lines in progress first.
func (s *Server) uncheckedLocked() (next *job) {
	for _, j := range s.active {
		if j.Status != validating || j.End != "" || j.foreign || j.busy {
			continue
		}
		if next == nil || j.account.checked < next.account.checked {
			next = j
		}
	}
	if next != nil {
		s.turns++
		next.account.checked = s.turns
	}
	return next
}

// nextLocked returns the batch that a line is started of: of the key with fewest lines in progress,
// and among those the one that waited longest.
func (s *Server) nextLocked(now time.Time) (next *job) {
	for _, j := range s.active {
		if j.Status != inProgress || j.halted || j.foreign || j.left == 0 || j.rests.After(now) {
			continue
		}
		if next == nil || j.account.running < next.account.running ||
			j.account.running == next.account.running && j.account.started < next.account.started {
			next = j
		}
	}
	if next != nil {
		s.turns++
		next.account.started = s.turns
	}
	return next
}

// check validates a batch's file.
func (s *Server) check(j *job) {
	defer s.poke()
	out, mistakes, err := s.validateFile(j)
	now := s.opt.Now()
	s.mu.Lock()
	s.validating, j.busy = false, false
	if j.End != "" || s.paused { // cancelled meanwhile, or checked again after the next start
		s.releaseLocked(j)
		s.mu.Unlock()
		return
	}
	if err == nil && len(mistakes) == 0 {
		if full := s.takeLocked(j.account.owner, out.reserve); full != nil {
			mistakes = []batchError{errorOf(full)}
		}
	}
	switch {
	case err != nil:
		j.fail(errorOf(err))
		j.haltLocked(failed)
	case len(mistakes) > 0:
		j.fail(mistakes...)
		j.haltLocked(failed)
	default:
		j.Counts.Total, j.left, j.Reserved = out.lines, out.lines-j.done.count, out.reserve
		j.enter(inProgress, now)
	}
	s.mu.Unlock()
	if err := s.save(j); err != nil {
		s.opt.Log.Warn("a batch cannot be stored", fault.Attr(err))
	}
}

func (s *Server) validateFile(j *job) (checked, []batchError, error) {
	f, err := os.Open(s.dataOf(j.InputFileID))
	if err != nil {
		return checked{}, nil, diskFault("read batch", err)
	}
	defer f.Close()
	out, mistakes, err := validate(f, j.Endpoint, s.opt.Limits, func() bool {
		select {
		case <-j.stop:
			return true
		default:
			return false
		}
	})
	return out, mistakes, diskFault("read batch", err)
}

// errorOf returns a fault as a batch shows it.
func errorOf(err error) batchError {
	code, text := fault.Public(err)
	return batchError{Code: code, Message: text}
}

// errNoLine: the file has fewer lines than it had.
var errNoLine = errors.New("the file of requests has changed")

// nextLine returns the next line without an answer.
func (s *Server) nextLine(j *job) (*line, error) {
	j.reading.Lock()
	defer j.reading.Unlock()
	if n := len(j.retry); n > 0 {
		l := j.retry[0]
		j.retry = j.retry[1:]
		return l, nil
	}
	f, err := os.Open(s.dataOf(j.InputFileID))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if _, err := f.Seek(j.offset, 0); err != nil {
		return nil, err
	}
	in := newLineReader(f, s.opt.Limits.Line)
	before := j.skipped
	for {
		text, err := in.next()
		if err != nil {
			return nil, errors.Join(errNoLine, err)
		}
		ordinal := before + in.ordinal
		s.mu.Lock()
		has := j.done.has(ordinal)
		s.mu.Unlock()
		if has {
			continue
		}
		l, err := parseLine(text)
		if err != nil {
			return nil, errors.Join(errNoLine, err)
		}
		l.ordinal = ordinal
		j.offset, j.skipped = j.offset+in.read, ordinal
		return l, nil
	}
}
