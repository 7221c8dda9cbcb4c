package pool

import "time"

const (
	// usualPlaying is how long a segment of a live stream usually plays.
	usualPlaying = 2 * time.Second
	// longestPause bounds the time between two segments of a session over which the first one's
	// work is spread.
	longestPause = 30 * time.Second
	// maxOccupancy bounds the share of a slot that one segment can show: at 1 it takes as long as it
	// plays, and more says that the device is too busy, not what the session needs.
	maxOccupancy = 2
	// occupancySmoothing averages over about ten segments of a session.
	occupancySmoothing = smoothing / 2
)

// occupancy is how much of a device's slots sessions take. A session's occupancy is smoothed. A device's is the
// sum of its measured sessions, so each counts with what it really took, and a hostile session does not change
// what is known of the others. The sum varies little: a session that was refused and asks again is not admitted
// because a measurement is low for a moment.
type occupancy struct {
	// slot is the slot time per second, and device the same for the whole device, shared evenly by
	// concurrent segments. While few segments run at once, device overestimates the cost and slot may
	// underestimate it.
	slot, device float64
	// load is the load of the measured sessions.
	load float64
}

func (o *occupancy) add(other occupancy, sign float64) {
	o.slot += sign * other.slot
	o.device += sign * other.device
	o.load += sign * other.load
}

// occupy adds the work of a segment, which ended now, to the occupancy of its session. inWork is the average
// number of segments that ran at once.
func (r *recent) occupy(s *session, playing, work time.Duration, inWork float64, now time.Time) {
	if !s.link.listed {
		return
	}
	lasts := max(playing, usualPlaying)
	if !s.link.occupiedAt.IsZero() {
		lasts = max(playing, min(now.Sub(s.link.occupiedAt), longestPause))
	}
	slot := min(maxOccupancy, float64(work)/float64(lasts))
	old := s.link.occupied
	s.link.occupiedAt = now
	s.link.occupied = occupancy{
		slot:   smoothBy(occupancySmoothing, old.slot, slot),
		device: smoothBy(occupancySmoothing, old.device, slot/max(1, inWork)),
		load:   float64(s.link.counted),
	}
	r.occupied.add(old, -1)
	r.occupied.add(s.link.occupied, 1)
}

// slotUseLocked returns the slot time per second that the sessions take (used), and that one more unit of load may
// take (each); both are 0 when they are not known. Sessions that are not measured count with what they may take.
func (d *poolDevice) slotUseLocked() (used, each float64) {
	return d.useLocked(d.recent.occupied.slot, float64(d.queue.slots))
}

// deviceUseLocked is slotUseLocked for the whole device, shared evenly.
func (d *poolDevice) deviceUseLocked() (used, each float64) {
	return d.useLocked(d.recent.occupied.device, 1)
}

func (d *poolDevice) useLocked(measured, slots float64) (used, each float64) {
	if d.queue.slots == 0 || d.recent.occupied.load <= 0 {
		return 0, 0
	}
	each = d.plausibleCostLocked(measured/d.recent.occupied.load, slots)
	return measured + each*max(0, float64(d.load)-d.recent.occupied.load), each
}
