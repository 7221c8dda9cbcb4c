package pool

import (
	"math"
	"time"

	"github.com/tuttinode/tutti/core/orchestrate"
)

const (
	// maxRatio is the projected real-time ratio above which a device gets no further
	// session: a fifth of the time is left for transfer and for what was not foreseen.
	maxRatio = 0.8
	// untested is the part of it that a device gets by its start-up test alone, which
	// was not the work that comes.
	untested = maxRatio / 2
	// nominal is the cost of a device of which nothing is known, only to rank it: it
	// carries ten ladders of 240p to 720p.
	nominal = maxRatio / 500e6
	// steps is into how many a device's use is divided to compare it with others'.
	steps = 64
	// rounding lets a device be used to the very end of its room.
	rounding = 1 + 1e-9
	// unlimited is the number of sessions of a device that has no such number.
	unlimited = 1 << 30
)

// rank is the device's rank now. The caller holds mu.
func (d *device) rank(o *rules, now time.Time) rank {
	if !d.ready() || d.roomForSessions(now) <= 0 {
		return shut
	}
	// Differences too small to matter must not decide before whose turn it is.
	key := math.Floor(d.usage(now)*steps) + float64(d.penalty(now)*steps/4)
	r := rank{key: key, turn: d.turn, load: d.roomForLoad(o, now), renditions: d.roomForRenditions(now)}
	if r.renditions <= 0 {
		return shut
	}
	return r
}

// usage is the part of the device that is in use, by what is scarcest. The caller
// holds mu.
func (d *device) usage(now time.Time) float64 {
	u := d.expected() * float64(d.weighted) / maxRatio
	if n := d.sessionLimit(now); n < unlimited {
		u = max(u, part(int64(d.sessions), int64(n)))
	}
	if n := d.encoderLimit(now); n < unlimited {
		u = max(u, part(int64(d.renditions), int64(n)))
	}
	if n := d.memoryLimit(now); n > 0 {
		u = max(u, part(d.memory(), n))
	}
	return u
}

func part(used, of int64) float64 { return float64(used) / float64(max(1, of)) }

// expected is the real-time ratio per unit of load to be expected. The caller holds mu.
func (d *device) expected() float64 {
	switch {
	case d.cost > 0:
		return d.cost
	case d.offer.Cost > 0:
		return d.offer.Cost
	}
	return nominal
}

// sessionLimit, encoderLimit and memoryLimit are the numbers that the device said of
// itself, or that it showed since by refusing. The callers hold mu.
func (d *device) sessionLimit(now time.Time) int {
	return d.learned.sessions.bound(limitOr(d.offer.Sessions), now)
}

func (d *device) encoderLimit(now time.Time) int {
	return d.learned.encoders.bound(limitOr(d.offer.EncoderSessions), now)
}

// memoryLimit is 0 where memory does not matter.
func (d *device) memoryLimit(now time.Time) int64 {
	if d.offer.Memory <= 0 || d.offer.SessionMemory <= 0 {
		return 0
	}
	return max(1, int64(d.learned.memory.bound(int(d.offer.Memory), now)))
}

func limitOr(n int) int {
	if n <= 0 {
		return unlimited
	}
	return n
}

// roomForSessions is how many more sessions may come by their number. The caller
// holds mu.
func (d *device) roomForSessions(now time.Time) int { return d.sessionLimit(now) - d.sessions }

// roomForRenditions is how many renditions a further session may have, by encoders
// and memory. The caller holds mu.
func (d *device) roomForRenditions(now time.Time) int {
	return min(d.roomForEncoders(now), d.roomInMemory(now))
}

func (d *device) roomForEncoders(now time.Time) int { return d.encoderLimit(now) - d.renditions }

// roomInMemory is how many renditions a further session may have by memory. The caller
// holds mu.
func (d *device) roomInMemory(now time.Time) int {
	limit := d.memoryLimit(now)
	if limit == 0 {
		return unlimited
	}
	left := limit - d.memory() - d.offer.SessionMemory
	switch {
	case left < 0:
		return 0
	case d.offer.RenditionMemory <= 0:
		return unlimited
	}
	return 1 + int(left/d.offer.RenditionMemory)
}

// roomForLoad is how much more weighted load may come by what was measured. The
// caller holds mu.
//
// A device whose sessions use nothing always may have one: what it was once measured at may
// have changed, and only work shows. New sessions that have not shown their cost are
// at most as many as those that have, because the projection rests on these. A device
// that lately had no time for a segment gets no more. One on another machine is admitted
// by its own node, which said how many it takes.
func (d *device) roomForLoad(o *rules, now time.Time) float64 {
	weighted := float64(d.weighted)
	switch {
	case d.sessions == d.unused, !o.byRatio(), d.offer.Remote && d.offer.Sessions > 0:
		return math.Inf(1)
	case d.cost > 0 && len(d.seated) >= max(o.untried, d.known), now.Sub(d.behind) < lately:
		return -1
	case d.cost > 0:
		return min((rounding*maxRatio-d.cost*weighted)/d.plausible(d.cost, 1), d.roomInQueue())
	case d.offer.Cost > 0:
		return untested/d.offer.Cost - weighted
	case len(d.seated) < o.untried:
		return math.Inf(1)
	}
	return -1
}

// maxBusy is the part of the time of a device's places above which it gets no further session.
// The places are processor cores, which the node's other work, gateways and the system use too.
const maxBusy = 0.7

// slowly is the part of a device's known sessions that may come at once where it could be
// nearly full.
const slowly = 1. / 8

// roomInQueue is how much more weighted load may come by the time of the places in which
// segments are worked on. The real-time ratio hardly grows before all places are busy, so it
// promises too much of a device of which little is used. How segments that are in work at
// once slow each other down is not known before many are: a device that would be full if
// they share it evenly gets few sessions at a time, and the next ones when these have shown
// what they take. The caller holds mu.
func (d *device) roomInQueue() float64 {
	if d.queue.places == 0 || d.places == 0 {
		return math.Inf(1)
	}
	weighted, places := float64(d.weighted), float64(d.queue.places)
	whole, place := d.wholes/d.loads, d.places/d.loads
	surely := (rounding*maxRatio - whole*weighted) / d.plausible(whole, places)
	if likely := len(d.seated) < max(1, int(float64(d.known)*slowly)); !likely {
		return surely
	}
	return max(surely, (rounding*maxBusy*places-place*weighted)/d.plausible(place, places))
}

// plausible is what a unit of load may take that is not known yet, of so many places, by what
// was measured of others: these may be few whose sources take much and whose renditions have
// little load. It is at most heaviest times what the start-up test showed. What places are
// really used for is known apart from it. The caller holds mu.
func (d *device) plausible(measured, places float64) float64 {
	if d.queue.places == 0 || d.offer.Cost <= 0 {
		return measured
	}
	return min(measured, heaviest*places*d.offer.Cost)
}

// limit estimates how many sessions like those that there are the device can have.
// The caller holds mu.
func (d *device) limit(o *rules, now time.Time) int {
	n, _ := d.limitBy(o, now)
	return n
}

// limitBy is limit, and the bound that makes it. The caller holds mu.
func (d *device) limitBy(o *rules, now time.Time) (n int, by orchestrate.Bound) {
	if !d.ready() {
		return d.sessions, ""
	}
	n, by = d.sessionLimit(now), orchestrate.BySessions
	lower := func(to int, bound orchestrate.Bound) {
		if to < n {
			n, by = to, bound
		}
	}
	per := d.usualRenditions()
	if r := d.roomForEncoders(now); r < unlimited/2 {
		lower(d.sessions+max(0, r)/per, orchestrate.ByEncoders)
	}
	if r := d.roomInMemory(now); r < unlimited/2 {
		lower(d.sessions+r/per, orchestrate.ByMemory)
	}
	switch {
	case !o.byRatio(), d.offer.Remote && d.offer.Sessions > 0:
	case d.sessions > 0 && d.weighted > 0 && max(d.cost, d.offer.Cost) > 0:
		lower(d.limitByRatio(o, now), orchestrate.ByPace)
	default:
		more := 0
		if len(d.seated) < o.untried {
			more = 1
		}
		lower(max(d.sessions+more, o.untried), orchestrate.ByPace)
	}
	return n, by
}

// usualRenditions and usualLoad are those of a session like the ones that there are.
// The callers hold mu.
func (d *device) usualRenditions() int {
	if d.sessions == 0 {
		return 1
	}
	return max(1, d.renditions/max(1, d.sessions-d.unused))
}

func (d *device) usualLoad() int64 {
	if d.sessions == 0 {
		return 1
	}
	return max(1, d.weighted/int64(max(1, d.sessions-d.unused)))
}

func (d *device) limitByRatio(o *rules, now time.Time) int {
	usual := d.usualLoad()
	room := d.roomForLoad(o, now)
	if room < float64(usual) {
		// What the figures promise beyond is not proven yet.
		return d.sessions
	}
	return d.sessions + max(1, int(min(room/float64(usual), unlimited)))
}
