package pool

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder"
)

const (
	// maxCrashes is how many workers of its own a session may crash before its
	// segments are refused.
	maxCrashes = 2
	// pardon is how many good segments make up for a crash.
	pardon = 10
	// maxTardy is how many segments of a session may take longer than their time on
	// several transcoders before the others are refused.
	maxTardy = 3
)

// replacer is an engine whose process can be killed and replaced, which helps
// against native code that hangs.
type replacer interface {
	Replace(reason fault.Code)
}

// isolator is an engine that can give a segment a process of its own, so that it
// takes no other segment along when it kills that.
type isolator interface {
	Alone(ctx context.Context) (transcoder.Engine, error)
}

func (d *device) isolates() bool { return d.alone != nil }

// apart runs a segment that may have killed a worker in a process of its own,
// where it can harm no other. If it kills that too, it is known for it.
func (p *Pool) apart(ctx context.Context, s *session, d *device, job *core.TranscodeJob) (*core.TranscodeResult, error) {
	select {
	case d.alone <- struct{}{}:
		defer func() { <-d.alone }()
	case <-ctx.Done():
		code := fault.CodeOf(ctx.Err())
		if code == fault.DeadlineExceeded {
			code = fault.TranscoderBusy // it was never in work
		}
		return nil, fault.Wrap(code, "wait for a worker of its own", ctx.Err())
	}
	d.begin()
	defer d.end()
	l := limit(ctx, job)
	sub, cancel := context.WithTimeout(ctx, l.time)
	defer cancel()
	e, err := d.engine.(isolator).Alone(sub)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	start := time.Now()
	res, err := e.Transcode(sub, job)
	late := sub.Err() != nil && ctx.Err() != context.Canceled
	switch {
	case err == nil:
		s.mu.Lock()
		s.acquit()
		s.mu.Unlock()
		d.sign(res)
		return res, nil
	case deadly(err), late && time.Since(start) >= core.WorkDeadline(job.Duration)/4:
		p.convict(s, d, err)
	}
	if late {
		return nil, timeout(d, time.Since(start), err)
	}
	return nil, err
}

// convict notes that a session kills workers.
func (p *Pool) convict(s *session, d *device, err error) {
	n := s.convict()
	p.o.Log.Warn("a stream kills media workers; it gets one of its own from now on",
		"session", string(s.id), "device", d.label, "times", n, fault.Attr(err))
}

// convict counts a crash and returns how many there were.
func (s *session) convict() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.crashes++
	s.clean = 0
	return s.crashes
}

// acquit counts a good segment; after enough of them the session is as any other. The
// caller holds mu.
func (s *session) acquit() {
	if s.clean++; s.clean >= pardon {
		s.crashes, s.tardy, s.excused = 0, 0, false
	}
}

// overtime counts a segment that took longer than its time on several transcoders and
// returns how many there were.
func (s *session) overtime() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tardy++
	s.clean = 0
	return s.tardy
}

// refusal is why the session gets nothing done any more, "" when it does.
func (s *session) refusal() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.crashes >= maxCrashes:
		return "the stream crashed its worker twice"
	case s.tardy >= maxTardy:
		return "the stream takes longer than its time on every transcoder"
	}
	return ""
}
