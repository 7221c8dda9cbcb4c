package pool

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder/pool/incidents"
)

const (
	// flaggedStreams is how many streams a remote device may blame within verdictTime, without a
	// segment that it did, before its verdicts confirm no other's.
	flaggedStreams = 3
	verdictTime    = time.Minute
	// testAfter is the number of verdicts in a row after which a device gets the test clip, at most
	// once per verdictTime.
	testAfter = 3
	// voteRest is for how long a device that was refuted confirms no other's verdict.
	voteRest = 10 * time.Minute
	// From namedFrom refuted verdicts on, and unless it did refutedShare times as many segments,
	// the operator is notified of a device.
	namedFrom    = 3
	refutedShare = 10
	// maxRecorded bounds the segments that a device's verdicts are remembered for.
	maxRecorded = 16
	// maxBlamers bounds the devices that a session avoids because they agreed on a verdict.
	maxBlamers = 16
	// auditEvery is how often a third device is asked although two remote ones agree.
	auditEvery = 4
	// maxVerdicts bounds the device names whose verdicts are remembered after they left.
	maxVerdicts = 4096
)

// verdicts is the record of a device's reports that a segment is at fault. It belongs to the
// device's name, so that a transcoder that reconnects continues with it.
type verdicts struct {
	mu sync.Mutex // guards the fields below; nothing is locked under it
	// streams are the latest streams that it blamed since it last did a segment; inRow counts the
	// verdicts since then.
	streams []blamedStream
	inRow   int
	// harmful are the segments that were recorded as harmful because of it.
	harmful []*incidents.Segment
	// refuted counts verdicts that another device contradicted by doing the segment, done the
	// segments that it did since the first of them. It has no vote before restUntil.
	refuted, done int
	restUntil     time.Time
	// named: the operator was notified.
	named    bool
	testedAt time.Time
}

// blamedStream is a stream that a device blamed.
type blamedStream struct {
	session core.SessionID
	at      time.Time
}

// verdictsOfLocked returns the record of a device name. The caller holds table.mu.
func (t *table) verdictsOfLocked(name string) *verdicts {
	v := t.verdicts[name]
	if v == nil {
		for other := range t.verdicts {
			if len(t.verdicts)-len(t.devices) < maxVerdicts {
				break
			}
			if t.devices[other] == nil {
				delete(t.verdicts, other)
			}
		}
		v = new(verdicts)
		t.verdicts[name] = v
	}
	return v
}

// forgetVerdictsLocked drops the record of a device that leaves, unless it holds something against the
// device. The caller holds table.mu.
func (t *table) forgetVerdictsLocked(name string) {
	if v := t.verdicts[name]; v != nil && v.isBlank() {
		delete(t.verdicts, name)
	}
}

// isBlank reports whether nothing is held against the device.
func (v *verdicts) isBlank() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.inRow == 0 && v.refuted == 0 && !v.named && len(v.harmful) == 0
}

// record records a verdict, and reports whether the device should be tested now.
func (v *verdicts) record(id core.SessionID, now time.Time) (test bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.streams = slices.DeleteFunc(v.streams, func(b blamedStream) bool { return b.session == id })
	if v.streams = append(v.streams, blamedStream{id, now}); len(v.streams) > flaggedStreams {
		v.streams = v.streams[1:]
	}
	v.inRow++
	test = v.inRow >= testAfter && now.Sub(v.testedAt) >= verdictTime
	if test {
		v.testedAt = now
	}
	return test
}

// worked records a segment that the device did, and reports whether it is no longer named.
func (v *verdicts) worked(now time.Time) (cleared bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.streams, v.inRow = nil, 0
	v.done++
	if v.refuted > 0 && !now.Before(v.restUntil) {
		cleared = v.named
		v.refuted, v.named, v.harmful = 0, false, nil
	}
	return cleared
}

// votes reports whether a verdict of the device may confirm another's: it was not refuted, and did
// not blame several streams without doing any segment between.
func (v *verdicts) votes(now time.Time) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if now.Before(v.restUntil) {
		return false
	}
	return len(v.streams) < flaggedStreams || now.Sub(v.streams[0].at) >= verdictTime
}

// refute records that a verdict was wrong. It returns the number of such verdicts, whether the
// operator must be notified, and the segments that were recorded as harmful because of the device.
func (v *verdicts) refute(now time.Time, certain bool) (times int, name bool, harmful []*incidents.Segment) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.refuted++; v.refuted == 1 {
		v.done = 0
	}
	v.restUntil = now.Add(voteRest)
	name = certain || v.refuted >= namedFrom && v.done < refutedShare*v.refuted
	v.named = v.named || name
	harmful, v.harmful = v.harmful, nil
	return v.refuted, name, harmful
}

// isNamed reports whether the operator was notified of the device.
func (v *verdicts) isNamed() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.named
}

// harmed records a segment that was recorded as harmful because of the device.
func (v *verdicts) harmed(w *incidents.Segment) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.harmful) < maxRecorded {
		v.harmful = append(v.harmful, w)
	}
}

// votes reports whether the device's verdicts count. Those of this machine's own devices always do.
func (d *poolDevice) votes() bool { return !d.isRemote() || d.verdicts.votes(time.Now()) }

// verdict: the device reported that the segment is at fault, or ended its worker.
func (f *failure) verdict() bool { return f.blamesSegment() || f.workerEnded() }

// recordVerdict records a device's report that the segment is at fault. A device that reports
// nothing else is tested.
func (a *segmentAttempts) recordVerdict(f *failure) {
	if !f.verdict() || fault.CodeOf(f.err) == fault.Canceled || fault.CodeOf(f.err) == fault.DeadlineExceeded {
		return
	}
	d, p := f.d, a.p
	if d.verdicts.record(a.s.id, time.Now()) && p.testable(d) {
		p.spawn(func() { p.testVerdicts(d) })
	}
}

// testable reports whether the device can be given a clip of ours.
func (p *Pool) testable(d *poolDevice) bool {
	_, own := d.engine.(reprober)
	return own || d.isRemote() && p.o.TestClip != nil
}

// testVerdicts gives a clip of ours to a device that only reports bad segments. The device may work
// on others meanwhile: load makes a clip late, but never bad.
func (p *Pool) testVerdicts(d *poolDevice) {
	err := p.reprobe(d)
	if !callsClipBad(err) {
		return
	}
	now := time.Now()
	d.mu.Lock()
	d.faults, d.lastFault = max(d.faults, maxFaults-1), time.Time{}
	begins := !d.gone && d.fail(now, err)
	q := d.quarantine
	d.mu.Unlock()
	if begins {
		p.beginQuarantine(d, q, err)
	}
	p.refuted(d, true)
}

// callsClipBad reports whether a device reported that the test clip is at fault.
func callsClipBad(err error) bool {
	for ; err != nil; err = errors.Unwrap(err) {
		f := failure{err: err, remote: true}
		if f.code() == fault.DeviceTestFailed {
			continue
		}
		return f.code() != fault.Canceled && f.code() != fault.DeadlineExceeded && f.verdict()
	}
	return false
}

// testClip gives the test clip to a remote device. Only a report that the clip is at fault fails the
// test: a device that was lost or is slow is handled elsewhere.
func (p *Pool) testClip(ctx context.Context, d *poolDevice) error {
	job := p.o.TestClip()
	job.Session = core.SessionID(rand.Text())
	job.Manifest = core.ManifestID(rand.Text())
	defer d.engine.EndSession(job.Session)
	if _, err := d.engine.Transcode(ctx, job); callsClipBad(err) {
		return fault.Wrap(fault.DeviceTestFailed, "transcode the test clip", err)
	}
	return nil
}

// refuted handles a wrong verdict of a device. certain: it called the test clip bad.
func (p *Pool) refuted(d *poolDevice, certain bool) {
	now := time.Now()
	times, name, harmful := d.verdicts.refute(now, certain)
	for _, w := range harmful {
		p.incidents.TakeBack(w, now)
	}
	switch {
	case certain:
		p.o.Unreliable(d.name(), "it reports that the node's test clip is bad")
	case name:
		p.o.Unreliable(d.name(), fmt.Sprintf("it reported %d segments as bad that other devices transcoded", times))
	}
}

// nextOpinion returns a device that may contradict those that agree that the segment is at fault,
// nil when they are to be believed.
func (a *segmentAttempts) nextOpinion(agreeing, tried []*poolDevice, harm bool) *poolDevice {
	votes := 0
	for _, d := range agreeing {
		if !d.isRemote() {
			return nil
		}
		if d.votes() {
			votes++
		}
	}
	if !harm {
		if d := a.p.moveTo(a.s, choice{local: true}, tried...); d != nil {
			return d
		}
	}
	need := 2
	if !harm && (a.s.goodSegments() > 0 || a.audited()) {
		need = 3
	}
	if votes >= need {
		return nil
	}
	return a.p.moveTo(a.s, choice{voters: true}, tried...)
}

// audited reports whether a third device is asked about this segment although two agree.
func (a *segmentAttempts) audited() bool {
	if a.agreement == 0 {
		a.agreement = a.p.agreements.Add(1)
	}
	return a.agreement%auditEvery == 0
}

// avoidBlamers makes the session's next segment run on a device that has not blamed the session yet,
// if only remote devices agreed on the verdict.
func (a *segmentAttempts) avoidBlamers() {
	agreeing := a.devices((*failure).verdict)
	if len(agreeing) < 2 || slices.ContainsFunc(agreeing, func(d *poolDevice) bool { return !d.isRemote() }) {
		return
	}
	s := a.s
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seekOther = true
	for _, d := range agreeing {
		if !slices.Contains(s.blamers, d) {
			s.blamers = append(s.blamers, d)
		}
	}
	s.blamers = s.blamers[max(0, len(s.blamers)-maxBlamers):]
}
