package pool

import (
	"context"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

const (
	// maxCrashes is how many workers of its own a session may crash before its
	// segments are refused.
	maxCrashes = 2
	// pardon is how many good segments make up for a crash.
	pardon = 10
)

// attempts runs a segment, twice when the first attempt failed for reasons that
// are not the segment's and the caller still has time.
func (p *Pool) attempts(ctx context.Context, s *session, job *core.TranscodeJob) (*core.TranscodeResult, error) {
	p.mu.Lock()
	d, crashes := s.dev, s.crashes
	p.mu.Unlock()
	if crashes > 0 {
		return p.apart(ctx, s, d, job)
	}
	res, first := p.attempt(ctx, s, d, job, firstLimit(ctx, s.wallOf(p), job))
	if first == nil {
		return res, nil
	}
	p.book(d, first)
	if !worthRetry(first) || ctx.Err() != nil {
		return nil, first
	}
	p.o.Recorder.SegmentRetried(job.Manifest, 2)
	p.o.Log.Info("trying a segment again", "session", string(job.Session), "segment", int64(job.Number),
		"device", d.engine.Device(), "code", string(fault.CodeOf(first)))
	if suspect(first) {
		if _, ok := d.engine.(isolator); ok {
			return p.apart(ctx, s, d, job)
		}
	}
	if fault.CodeOf(first) == fault.UnrecoverableState {
		replace(d, fault.UnrecoverableState)
	}
	d = p.elsewhere(s, d)
	res, second := p.attempt(ctx, s, d, job, limit(ctx, job))
	if second != nil {
		p.book(d, second)
		return nil, second
	}
	return res, nil
}

// limited is a time that an attempt may take. A soft one ends the attempt
// because there is still time for another; a hard one means that the worker
// hangs.
type limited struct {
	time time.Duration
	soft bool
}

// attempt runs a segment once on a device.
func (p *Pool) attempt(ctx context.Context, s *session, d *device, job *core.TranscodeJob, l limited) (*core.TranscodeResult, error) {
	start := time.Now()
	sub, cancel := context.WithTimeout(ctx, l.time)
	defer cancel()
	res, err := d.engine.Transcode(sub, job)
	wall := time.Since(start)
	if err == nil {
		p.measure(s, job, res, wall)
		res.Worker = d.name()
		return res, nil
	}
	// It may be the engine's own failure, or the caller left, or came with so
	// little time that its end says nothing.
	long := wall >= core.WorkDeadline(job.Duration)*3/4
	if sub.Err() == nil || ctx.Err() == context.Canceled || !l.soft && !long {
		return nil, err
	}
	if !l.soft {
		replace(d, fault.TranscodeTimeout)
	}
	return nil, timeout(wall, err)
}

func timeout(wall time.Duration, err error) error {
	f := fault.Wrap(fault.TranscodeTimeout, "transcode", err)
	f.Detail = fmt.Sprintf("not done after %v", wall.Round(time.Millisecond))
	return f
}

// apart runs a segment that may have killed a worker in a process of its own,
// where it can harm no other. If it kills that too, it is known for it.
func (p *Pool) apart(ctx context.Context, s *session, d *device, job *core.TranscodeJob) (*core.TranscodeResult, error) {
	select {
	case d.alone <- struct{}{}:
		defer func() { <-d.alone }()
	case <-ctx.Done():
		return nil, fault.Wrap(fault.CodeOf(ctx.Err()), "wait for a worker of its own", ctx.Err())
	}
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
		p.acquit(s)
		res.Worker = d.name()
		return res, nil
	case deadly(err), late && time.Since(start) >= core.WorkDeadline(job.Duration)/4:
		p.convict(s, d, err)
	}
	if late {
		return nil, timeout(time.Since(start), err)
	}
	return nil, err
}

// convict notes that a session kills workers.
func (p *Pool) convict(s *session, d *device, err error) {
	p.mu.Lock()
	s.crashes++
	s.clean = 0
	n := s.crashes
	p.mu.Unlock()
	p.o.Log.Warn("a stream kills media workers; it gets one of its own from now on",
		"session", string(s.id), "device", d.engine.Device(), "times", n, fault.Attr(err))
}

// acquit counts a good segment; after enough of them the session may share a
// worker again.
func (p *Pool) acquit(s *session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.clean++; s.clean >= pardon {
		s.crashes = 0
	}
}

// elsewhere moves a session to another device if there is a better one.
func (p *Pool) elsewhere(s *session, d *device) *device {
	p.mu.Lock()
	defer p.mu.Unlock()
	other := p.best(func(o *device) bool { return o != d })
	if other == nil || other.quarantined(time.Now()) {
		return d
	}
	if p.sessions[s.id] != s {
		return other // it has ended, and its place is given back
	}
	s.dev.load -= s.load
	s.dev.sessions--
	other.load += s.load
	other.sessions++
	s.dev = other
	return other
}

// book notes a failure that is the device's.
func (p *Pool) book(d *device, err error) {
	if !deviceFault(err) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	before := d.quarantined(now)
	d.failed(now, fault.CodeOf(err))
	if d.quarantined(now) && !before {
		p.o.Log.Warn("a device fails again and again and gets no new sessions for a while",
			"device", d.engine.Device(), "pause", d.until.Sub(now), fault.Attr(err))
	}
}

// replace kills the engine's process, where it has one.
func replace(d *device, reason fault.Code) {
	if r, ok := d.engine.(replacer); ok {
		r.Replace(reason)
	}
}
