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

// occupancy is how much of a device's slots sessions take. A session's is smoothed, and a device's is the
// sum of its measured sessions, each of which counts with what it really took: a hostile session shows
// nothing about the others, and the sum varies little, so that sessions which are refused and ask again are
// not admitted by a measurement that is low for a moment.
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

// occupy adds a segment's work, which ended now, to the occupancy of its session; inWork is the average number
// of concurrent segments.
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

// slotUseLocked returns the slot time per second that the sessions take, and that a unit of further load may take;
// both are 0 when they are not known. Sessions that are not measured count with what they may take.
func (d *device) slotUseLocked() (used, each float64) {
	return d.useLocked(d.recent.occupied.slot, float64(d.queue.slots))
}

// deviceUseLocked is slotUseLocked for the whole device, shared evenly.
func (d *device) deviceUseLocked() (used, each float64) {
	return d.useLocked(d.recent.occupied.device, 1)
}

func (d *device) useLocked(measured, slots float64) (used, each float64) {
	if d.queue.slots == 0 || d.recent.occupied.load <= 0 {
		return 0, 0
	}
	each = d.plausibleCostLocked(measured/d.recent.occupied.load, slots)
	return measured + each*max(0, float64(d.load)-d.recent.occupied.load), each
}
