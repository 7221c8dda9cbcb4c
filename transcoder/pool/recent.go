package pool

import "time"

// lately is how long after its last segment a session counts as running.
const lately = 10 * time.Second

// longAgo is when also a segment in work does not count any more: long ones have that time.
const longAgo = 4 * lately

// recent lists a device's sessions that had a segment of late, the longest ago first,
// and knows their load together. It is under the device's mu, and so are the links in
// the sessions.
type recent struct {
	first, last *session
	load        int64
}

// link is a session's place in the list of its device.
type link struct {
	prev, next *session
	listed     bool
	seen       time.Time
	// counted is what it adds to the list's load.
	counted int64
}

// touch notes a segment of a session and forgets those that had none of late.
func (r *recent) touch(s *session, now time.Time) {
	r.remove(s)
	s.link = link{prev: r.last, listed: true, seen: now, counted: s.load}
	if r.last != nil {
		r.last.link.next = s
	} else {
		r.first = s
	}
	r.last = s
	r.load += s.link.counted
	for old := r.first; old != s && now.Sub(old.link.seen) >= lately; old = r.first {
		if old.inside.Load() > 0 {
			r.touch(old, now) // a segment of it takes long
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
	s.link = link{}
}
