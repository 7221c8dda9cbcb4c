package pool

import "time"

// recentPeriod is how long after its last segment a session counts as running.
const recentPeriod = 10 * time.Second

// maxInWork is when a segment in work does not count any more: long ones have that time.
const maxInWork = 4 * recentPeriod

// recent lists a device's sessions with a recent segment, the oldest first, and sums their
// load and occupancy. The device's mu guards it and the links in the sessions.
type recent struct {
	first, last *session
	load        int64
	occupied    occupancy
}

// link is a session's node in the list of its device.
type link struct {
	prev, next *session
	listed     bool
	seen       time.Time
	// counted is its part of the list's load.
	counted int64
	// occupied is its part of the list's occupancy, and occupiedAt the time of the last segment
	// that counts there.
	occupied   occupancy
	occupiedAt time.Time
}

// touch records a segment of a session and removes the sessions without a recent one.
func (r *recent) touch(s *session, now time.Time) {
	before := s.link
	r.remove(s)
	s.link = link{
		prev: r.last, listed: true, seen: now, counted: s.load, occupied: before.occupied,
		occupiedAt: before.occupiedAt,
	}
	r.occupied.add(s.link.occupied, 1)
	if r.last != nil {
		r.last.link.next = s
	} else {
		r.first = s
	}
	r.last = s
	r.load += s.link.counted
	for old := r.first; old != s && now.Sub(old.link.seen) >= recentPeriod; old = r.first {
		if old.inProgress.Load() > 0 {
			r.touch(old, now) // it still has a segment in progress
			return
		}
		r.remove(old)
	}
}

func (r *recent) remove(s *session) {
	if !s.link.listed {
		return
	}
	if s.link.prev != nil {
		s.link.prev.link.next = s.link.next
	} else {
		r.first = s.link.next
	}
	if s.link.next != nil {
		s.link.next.link.prev = s.link.prev
	} else {
		r.last = s.link.prev
	}
	r.load -= s.link.counted
	r.occupied.add(s.link.occupied, -1)
	if r.first == nil {
		r.occupied = occupancy{} // without the rounding of sums
	}
	s.link = link{}
}
