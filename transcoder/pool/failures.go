package pool

import (
	"errors"
	"slices"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder/pool/incidents"
)

// segmentAttempts are the attempts at one segment. Often only the result of the next
// poolDevice shows whether the segment or the device was at fault.
type segmentAttempts struct {
	p        *Pool
	s        *session
	job      *core.TranscodeJob
	segment  *incidents.Segment
	began    time.Time
	failures []failure
	// unverified: neither the stream nor its sender has a record of good segments.
	unverified bool
	// work is how long the latest attempt in a shared worker was in work.
	work workTime
	// agreement is the segment's number among those that two remote devices agreed on, else 0.
	agreement uint64
	// countedPlay is the playing time that was counted for the session so far.
	countedPlay time.Duration
}

// failure is a failed attempt.
type failure struct {
	d        *poolDevice
	remote   bool
	err      error
	from, to time.Time
	// work is 0 for a segment that never got a slot, or ran on a remote device.
	work workTime
}

func (f *failure) code() fault.Code { return fault.CodeOf(f.err) }

// unanswered: a remote device had not answered when its time was over.
func (f *failure) unanswered() bool {
	switch f.code() {
	case fault.RemoteWorkerTimeout, fault.TranscodeTimeout, fault.DeadlineExceeded:
		return f.remote
	}
	return false
}

// timedOutThere: a tutti transcoder on another machine reported itself that the segment's time was
// over. It is alive, and has checked whether the segment or its device was the cause; it no longer
// offers a device that was.
func (f *failure) timedOutThere() bool { return f.remote && errors.Is(f.err, fault.TranscodeTimeout) }

// workerEnded: the segment ended a media worker on another machine, or its session did so
// there too often.
func (f *failure) workerEnded() bool {
	return f.remote && (workerDied(f.err) || f.code() == fault.SegmentRefused)
}

// hadFairTime: the device had enough time for a missing answer to count against it.
func (f *failure) hadFairTime(job *core.TranscodeJob) bool {
	return f.to.Sub(f.from) >= core.WorkDeadline(job.Duration)/4
}

// recordFailure records a failed attempt, and blames the device when that is already
// certain.
func (a *segmentAttempts) recordFailure(d *poolDevice, from time.Time, err error) {
	f := failure{d: d, remote: d.isRemote(), err: err, from: from, to: time.Now(), work: a.work}
	a.failures = append(a.failures, f)
	a.p.countFailure(d, err)
	if deviceFault(err) && !f.unanswered() && !f.workerEnded() && !(maybeSegmentFault(err) && !f.remote && d.isolates()) {
		a.p.blameDevice(d, err)
	}
	if f.code() == fault.RemoteWorkerLost {
		a.p.losses.add(d, a.s.id, f.to)
	}
	a.recordVerdict(&f)
	a.p.learnLimit(d, a.s, err)
}

func (f *failure) final() bool { return isFinal(f.err) }

// blamesSegment: the device reported that the segment is at fault.
func (f *failure) blamesSegment() bool {
	return isFinal(f.err) || fault.ClassOf(f.err) == fault.BadRequest || f.code() == fault.ZeroSegments
}

func (a *segmentAttempts) countDevices(is func(*failure) bool) int { return len(a.devices(is)) }

// devices returns the distinct devices with failures of a kind.
func (a *segmentAttempts) devices(is func(*failure) bool) []*poolDevice {
	var out []*poolDevice
	for i := range a.failures {
		if f := &a.failures[i]; is(f) && !slices.Contains(out, f.d) {
			out = append(out, f.d)
		}
	}
	return out
}
