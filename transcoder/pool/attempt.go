package pool

import (
	"context"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// maxAttempts bounds the devices that one segment is tried on: one that harms devices
// must not go through all of them.
const maxAttempts = 5

// attempts runs a segment, and again, each time elsewhere, while what failed it is not
// the segment's fault and the caller has time. Where there is no other device it is
// tried once more on the same.
func (p *Pool) attempts(ctx context.Context, s *session, job *core.TranscodeJob) (_ *core.TranscodeResult, err error) {
	d, err := p.device(s, job)
	if err != nil {
		return nil, err
	}
	if s.crashCount() > 0 && d.isolates() {
		return p.apart(ctx, s, d, job)
	}
	var tried []*device
	lost := 0
	defer func() { p.blame(s, lost, err) }()
	for try := 1; ; try++ {
		var res *core.TranscodeResult
		if res, err = p.attempt(ctx, s, d, job, p.limitOf(ctx, s, d, job, try)); err == nil {
			return res, nil
		}
		if fault.CodeOf(err) == fault.RemoteWorkerLost {
			lost++
		}
		p.book(d, err)
		p.learn(d, s, err)
		if !worthRetry(err) || ctx.Err() != nil || try == maxAttempts {
			return nil, err
		}
		if suspect(err) && d.isolates() {
			p.again(job, d, err, try)
			return p.apart(ctx, s, d, job)
		}
		if fault.CodeOf(err) == fault.UnrecoverableState {
			replace(d, fault.UnrecoverableState)
		}
		tried = append(tried, d)
		next := p.move(s, false, tried...)
		if next == nil {
			if try > 1 || full(err) || !d.attached() {
				return nil, err
			}
			next = d
		}
		p.again(job, d, err, try)
		d = next
	}
}

// again tells that a segment is tried again.
func (p *Pool) again(job *core.TranscodeJob, d *device, err error, try int) {
	p.o.Recorder.SegmentRetried(job.Manifest, try+1)
	p.o.Log.Info("trying a segment again", "session", string(job.Session), "segment", int64(job.Number),
		"device", d.label, "code", string(fault.CodeOf(err)))
}

func (d *device) attached() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return !d.gone
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
	d.begin()
	defer d.end()
	start := time.Now()
	sub, cancel := context.WithTimeout(ctx, l.time)
	defer cancel()
	res, err := d.engine.Transcode(sub, job)
	wall := time.Since(start)
	if err == nil {
		p.measure(s, d, job, res, wall)
		d.sign(res)
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

// sign puts the device's name on a result that has none: a transcoder on another
// machine knows better which of its own devices it was.
func (d *device) sign(res *core.TranscodeResult) {
	if res.Worker == "" || !d.elsewhere() {
		res.Worker = d.name()
	}
}

func timeout(wall time.Duration, err error) error {
	f := fault.Wrap(fault.TranscodeTimeout, "transcode", err)
	f.Detail = fmt.Sprintf("not done after %v", wall.Round(time.Millisecond))
	return f
}

// replace kills the engine's process, where it has one.
func replace(d *device, reason fault.Code) {
	if r, ok := d.engine.(replacer); ok {
		r.Replace(reason)
	}
}
