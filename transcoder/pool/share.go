package pool

import (
	"runtime"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// share measures how much of a device its segments in work get: one that runs late beside
// many others only shows that these are too many. It is guarded by the device's mu.
type share struct {
	running int
	at      time.Time
	// granted is the time that a segment in work since the start had of the device.
	granted time.Duration
}

// change adds the time until now, and counts n more segments in work.
func (s *share) change(n, slots int, now time.Time) {
	if s.running > 0 {
		// Half of the slots in use slow no segment down.
		granted := now.Sub(s.at)
		if unloaded := max(1, slots/2); s.running > unloaded {
			granted = granted * time.Duration(unloaded) / time.Duration(s.running)
		}
		s.granted += granted
	}
	s.running, s.at = s.running+n, now
}

// workTime is how long a segment was in work, 0 if it never was, and how much of that time it
// had of its device. otherLoad is the CPU time of other programs meanwhile.
type workTime struct{ took, granted, otherLoad time.Duration }

// undisturbed reports whether the segment had the device nearly to itself, and at least half of
// the machine's CPU cores.
func (w workTime) undisturbed() bool {
	loaded := 2*w.otherLoad >= w.took*time.Duration(runtime.NumCPU())
	return w.took > 0 && 4*w.granted >= 3*w.took && !loaded
}

// measureWork is beginWork with the load of other programs, where the device is local.
func (p *Pool) measureWork(d *poolDevice) (stop func() workTime) {
	shared := d.beginWork()
	if !d.isolates() {
		return shared
	}
	before := p.o.OtherLoad()
	return func() workTime {
		w := shared()
		w.otherLoad = p.o.OtherLoad() - before
		return w
	}
}

// loadPeriod is how long a reading of the load of other programs is used: to read it takes a look at each thread of
// this node, and late segments take longer.
const loadPeriod = time.Second / 2

// nowAndThen is a load that is read once in loadPeriod. Segments that begin during a reading wait for it.
func nowAndThen(load func() time.Duration) func() time.Duration {
	var mu sync.Mutex
	var at time.Time
	var last time.Duration
	return func() time.Duration {
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); at.IsZero() || now.Sub(at) >= loadPeriod {
			at, last = now, load()
		}
		return last
	}
}

// beginWork counts a segment in work until the end of stop, which returns its times.
func (d *poolDevice) beginWork() (stop func() workTime) {
	d.mu.Lock()
	defer d.mu.Unlock()
	began, s := time.Now(), &d.evidence.share
	s.change(1, d.queue.slots, began)
	before := s.granted
	return func() workTime {
		d.mu.Lock()
		defer d.mu.Unlock()
		now := time.Now()
		s.change(-1, d.queue.slots, now)
		return workTime{took: now.Sub(began), granted: s.granted - before}
	}
}

// mayBlame reports whether a segment that ran late on a device may be blamed for it: it had the
// device nearly to itself, or the device did another session's segment in real time meanwhile
// and had no more in work than it has slots.
func (d *poolDevice) mayBlame(s *session, w workTime) bool {
	if w.took == 0 {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	others := d.evidence.otherSince(s.id, time.Now().Add(-w.took))
	return w.undisturbed() || others && 9*w.granted >= 4*w.took
}

// overloaded is the fault of a segment that ran late while its device had too much to do:
// another node may do it.
func overloaded(err error) error {
	f := fault.Wrap(fault.TranscoderBehind, "transcode", err)
	f.Detail = "the device had too many segments in work"
	return f
}

// longestLateRun bounds the good segments that excuse late ones: a stream with a long record must not block a device
// for long.
const longestLateRun = 10

// sharedLate records a segment that ran late beside others: they may be too many, or some may
// block the device on purpose. Unknown streams show which it is in a worker of their own, one at
// a time for each sender. If no segment was done meanwhile, the device is tested.
func (a *segmentAttempts) sharedLate(d *poolDevice, work workTime, err error) {
	a.segment.Seal()
	now := time.Now()
	a.p.incidents.RanLate(a.segment, a.unverified, now)
	a.s.mu.Lock()
	a.s.goodRun = min(a.s.goodRun, longestLateRun) / 2
	a.s.mu.Unlock()
	if !d.doneSince(now.Add(-work.took)) {
		a.blockedTogether(d, err)
	}
}
