package pool

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder"
)

// maxQueue is how many segments of one session may wait for the one in work.
const maxQueue = 4

// session is a stream that has a place on a device.
type session struct {
	id core.SessionID
	// turn is held by the segment in work; waiters are served in order.
	turn chan struct{}
	// over is closed when the session ends.
	over chan struct{}

	// Under the pool's mu:
	dev    *device
	load   int64
	inside int // segments in work or waiting
	used   time.Time
	// wall is what a segment takes as a rule, 0 before the first.
	wall time.Duration
	// measured says that a segment counts in the device's figures.
	measured bool
	// crashes counts workers that the session killed although they had nothing
	// else to do. From the first on it never shares a worker again.
	crashes int
	// clean counts its segments since the last crash.
	clean int
}

// session finds the job's session or admits it.
func (p *Pool) session(job *core.TranscodeJob) (*session, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.sessions[job.Session]
	if s == nil {
		var err error
		if s, err = p.admit(job.Session, job.Profiles); err != nil {
			return nil, err
		}
	}
	if s.crashes >= maxCrashes {
		return nil, fault.New(fault.SegmentRefused, "transcode", "the stream crashed its worker twice")
	}
	s.used = time.Now()
	if load := transcoder.Load(job.Profiles); load != s.load {
		s.dev.load += load - s.load
		s.load = load
	}
	return s, nil
}

// enter waits for the session's turn and takes room for the input. leave gives
// both back.
func (p *Pool) enter(ctx context.Context, s *session, size int64) (leave func(), err error) {
	if err := p.reserve(s, size); err != nil {
		return nil, err
	}
	select {
	case s.turn <- struct{}{}:
	default:
		select {
		case s.turn <- struct{}{}:
		case <-s.over:
			err = fault.New(fault.TranscoderStopped, "transcode", "the session ended")
		case <-ctx.Done():
			err = fault.Wrap(fault.CodeOf(ctx.Err()), "wait for the segment before", ctx.Err())
		}
	}
	if err != nil {
		p.release(s, size)
		return nil, err
	}
	return func() {
		<-s.turn
		p.release(s, size)
	}, nil
}

func (p *Pool) reserve(s *session, size int64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed:
		return fault.New(fault.TranscoderStopped, "transcode", "the node stops")
	// One more than wait is in work.
	case s.inside > maxQueue:
		return fault.New(fault.TranscoderBusy, "transcode", "four segments of the session wait already")
	case p.input > 0 && p.input+size > p.o.MaxInput:
		return fault.New(fault.TranscoderBusy, "transcode", "the segments in work fill the memory set aside for them")
	}
	s.inside++
	p.active++
	p.input += size
	return nil
}

func (p *Pool) release(s *session, size int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.used = time.Now()
	s.inside--
	p.input -= size
	if p.active--; p.active == 0 {
		close(p.quiet)
		p.quiet = make(chan struct{})
	}
}
