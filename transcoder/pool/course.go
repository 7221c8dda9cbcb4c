package pool

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder/pool/incidents"
)

// maxAttempts bounds the devices that one segment is tried on: one that harms devices
// must not go through all of them.
const maxAttempts = 5

// course is how a segment fares: what it was tried on, and what came of that. Whose
// fault a failure is shows as a rule only in what the next device says.
type course struct {
	p        *Pool
	s        *session
	job      *core.TranscodeJob
	work     *incidents.Work
	began    time.Time
	failures []failure
	// doubtful says that nothing good is known of the stream and its sender.
	doubtful bool
	// played is what the segment counts as with its session's pace.
	played time.Duration
}

// failure is an attempt that came to nothing.
type failure struct {
	d        *device
	remote   bool
	err      error
	from, to time.Time
}

func (f *failure) code() fault.Code { return fault.CodeOf(f.err) }

// late says that a device on another machine had not answered when its time was over.
func (f *failure) late() bool {
	switch f.code() {
	case fault.RemoteWorkerTimeout, fault.TranscodeTimeout, fault.DeadlineExceeded:
		return f.remote
	}
	return false
}

// judged says that a transcoder of our own kind on another machine said itself that its
// time was over: it lives, and its own node has looked whether that was the segment's doing
// or its device's, which it then offers no more.
func (f *failure) judged() bool { return f.remote && errors.Is(f.err, fault.TranscodeTimeout) }

// harmed says that the segment was the end of a media worker on another machine, or
// that its session has been that there too often.
func (f *failure) harmed() bool {
	return f.remote && (deadly(f.err) || f.code() == fault.SegmentRefused)
}

// fairly says that the device had time enough for its silence to mean something.
func (f *failure) fairly(job *core.TranscodeJob) bool {
	return f.to.Sub(f.from) >= core.WorkDeadline(job.Duration)/4
}

// note books a failed attempt with its device, as far as it is known at once to be the
// device's fault.
func (c *course) note(d *device, from time.Time, err error) {
	f := failure{d: d, remote: d.elsewhere(), err: err, from: from, to: time.Now()}
	c.failures = append(c.failures, f)
	c.p.strike(d, err)
	if deviceFault(err) && !f.late() && !f.harmed() && !(suspect(err) && !f.remote && d.isolates()) {
		c.p.accuse(d, err)
	}
	if f.code() == fault.RemoteWorkerLost {
		c.p.losses.note(d, c.s.id, f.to)
	}
	c.p.learn(d, c.s, err)
}

// next is the device to try the segment on after d failed it, nil when that is the
// end: on each device once, except that one alone gets a second attempt. What no
// device is likely to do better with another one is asked about once.
func (c *course) next(ctx context.Context, d *device, err error) *device {
	final, f := verdict(err), fault.CodeOf(err)
	switch {
	case over(ctx), len(c.failures) >= maxAttempts, !final && !worthRetry(err):
		return nil
	case c.count((*failure).late) >= 2, c.count((*failure).harmed) >= 2, c.count((*failure).final) >= 2:
		return nil
	}
	tried := make([]*device, 0, maxAttempts)
	for i := range c.failures {
		tried = append(tried, c.failures[i].d)
	}
	if next := c.p.move(c.s, false, tried...); next != nil {
		return next
	}
	if final || len(c.failures) > 1 || full(err) || f == fault.TranscoderBehind || !d.attached() {
		return nil
	}
	return d
}

func (f *failure) final() bool { return verdict(f.err) }

// blames says that the device found the segment at fault.
func (f *failure) blames() bool {
	return verdict(f.err) || fault.ClassOf(f.err) == fault.BadRequest || f.code() == fault.ZeroSegments
}

func (c *course) count(is func(*failure) bool) int { return len(c.devices(is)) }

// devices are those whose failures are of a kind, each once.
func (c *course) devices(is func(*failure) bool) []*device {
	var out []*device
	for i := range c.failures {
		if f := &c.failures[i]; is(f) && !slices.Contains(out, f.d) {
			out = append(out, f.d)
		}
	}
	return out
}
