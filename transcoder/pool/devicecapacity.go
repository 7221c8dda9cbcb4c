package pool

import (
	"math"
	"time"

	"github.com/tuttinode/tutti/core/orchestrate"
)

const (
	// maxRatio is the projected real-time ratio above which a device gets no further
	// session. A fifth of the time is left for transfer and variation.
	maxRatio = 0.8
	// untestedRatio is the limit for a device with only a start-up test, which differs from
	// real work.
	untestedRatio = maxRatio / 2
	// nominalCost ranks a device of unknown cost: ten ladders of 240p to 720p fill it.
	nominalCost = maxRatio / 500e6
	// steps is the resolution of utilization in comparisons of devices.
	steps = 64
	// rounding tolerates float errors when a device is filled to its limit.
	rounding = 1 + 1e-9
	// unlimited stands for a device without a session limit.
	unlimited = 1 << 30
)

// sessionLimitLocked, encoderLimitLocked and memoryLimitLocked are the limits of the
// device's offer, or lower ones that it showed by refusing sessions of several parties.
func (d *poolDevice) sessionLimitLocked(now time.Time) int {
	return d.learned.bound(sessionLimit, limitOr(d.offer.Sessions), now)
}

func (d *poolDevice) encoderLimitLocked(now time.Time) int {
	return d.learned.bound(encoderLimit, limitOr(d.offer.EncoderSessions), now)
}

// memoryLimitLocked is 0 for a device without a memory limit.
func (d *poolDevice) memoryLimitLocked(now time.Time) int64 {
	if d.offer.Memory <= 0 || d.offer.SessionMemory <= 0 {
		return 0
	}
	return max(1, int64(d.learned.bound(memoryLimit, int(d.offer.Memory), now)))
}

func limitOr(n int) int {
	if n <= 0 {
		return unlimited
	}
	return n
}

// freeSessionsLocked returns how many more sessions fit the session limit.
func (d *poolDevice) freeSessionsLocked(now time.Time) int {
	return d.sessionLimitLocked(now) - d.sessions
}

// freeRenditionsLocked returns how many renditions a further session may have, by encoders
// and memory.
func (d *poolDevice) freeRenditionsLocked(now time.Time) int {
	return min(d.freeEncodersLocked(now), d.renditionsInFreeMemoryLocked(now))
}

func (d *poolDevice) freeEncodersLocked(now time.Time) int {
	return d.encoderLimitLocked(now) - d.renditions
}

// renditionsInFreeMemoryLocked returns how many renditions a further session may have by
// memory.
func (d *poolDevice) renditionsInFreeMemoryLocked(now time.Time) int {
	limit := d.memoryLimitLocked(now)
	if limit == 0 {
		return unlimited
	}
	left := limit - d.memoryInUseLocked() - d.offer.SessionMemory
	switch {
	case left < 0:
		return 0
	case d.offer.RenditionMemory <= 0:
		return unlimited
	}
	return 1 + int(left/d.offer.RenditionMemory)
}

// freeLoadLocked returns how much more weighted load fits the measured capacity.
//
// A device whose sessions use nothing always accepts one, because its capacity may have changed
// since it was measured. New sessions without a measured cost may not outnumber the measured
// ones, on which the projection rests. A device that recently refused a segment for lack
// of time gets no more sessions. A remote device with a session limit is bounded by its
// own node.
func (d *poolDevice) freeLoadLocked(o *rules, now time.Time) float64 {
	weighted := float64(d.weightedLoad)
	switch {
	case d.sessions == d.unusedSessions, !o.byRatio(), d.offer.Remote && d.offer.Sessions > 0:
		return math.Inf(1)
	case d.cost > 0 && len(d.unmeasuredSince) >= max(o.untried, d.measuredSessions), now.Sub(d.behindAt) < recentPeriod:
		return -1
	case d.cost > 0:
		return min((rounding*maxRatio-d.cost*weighted)/d.plausibleCostLocked(d.cost, 1), d.freeQueueLoadLocked())
	case d.offer.Cost > 0:
		return untestedRatio/d.offer.Cost - weighted
	case len(d.unmeasuredSince) < o.untried:
		return math.Inf(1)
	}
	return -1
}

// maxBusy is the share of the slots' time above which a device gets no further session. The
// slots are CPU cores, which the rest of the node, gateways and the system use as well.
const maxBusy = 0.7

// unmeasuredShare is the number of unmeasured sessions, relative to the measured ones,
// that a device may have when it could be nearly full.
const unmeasuredShare = 1. / 8

// freeQueueLoadLocked returns how much more weighted load fits the time of the queue's slots.
// The real-time ratio hardly grows before all slots are busy, so on a device with little
// load it overestimates the capacity. How much concurrent segments slow each other down is
// unknown until many run at once. So a device that would be full if segments shared it
// evenly gets few sessions at a time, and more once these are measured.
func (d *poolDevice) freeQueueLoadLocked() float64 {
	slotUse, slotCost := d.slotUseLocked()
	if slotCost == 0 {
		return math.Inf(1)
	}
	deviceUse, deviceCost := d.deviceUseLocked()
	surely := (rounding*maxRatio - deviceUse) / deviceCost
	if likely := len(d.unmeasuredSince) < max(1, int(float64(d.measuredSessions)*unmeasuredShare)); !likely {
		return surely
	}
	return max(surely, (rounding*maxBusy*float64(d.queue.slots)-slotUse)/slotCost)
}

// slotShareLocked returns the share of the slots' time that the sessions take with so much more load, 0
// when it is not known.
func (d *poolDevice) slotShareLocked(more float64) float64 {
	used, each := d.slotUseLocked()
	if each == 0 {
		return 0
	}
	return (used + each*more) / float64(d.queue.slots)
}

// plausibleCostLocked returns what a unit of load that is not measured yet may take on so many slots,
// from what was measured of others: these may be few whose sources take much and whose renditions
// have little load. It is at most maxWeight times what the start-up test showed.
func (d *poolDevice) plausibleCostLocked(measured, slots float64) float64 {
	if d.queue.slots == 0 || d.offer.Cost <= 0 {
		return measured
	}
	return min(measured, maxWeight*slots*d.offer.Cost)
}

// limitLocked estimates how many sessions like the present ones the device can serve.
func (d *poolDevice) limitLocked(o *rules, now time.Time) int {
	n, _ := d.limitAndBoundLocked(o, now)
	return n
}

// limitAndBoundLocked is limitLocked with the bound that sets the limit.
func (d *poolDevice) limitAndBoundLocked(o *rules, now time.Time) (n int, by orchestrate.Bound) {
	if !d.ready() {
		return d.sessions, ""
	}
	n, by = d.sessionLimitLocked(now), orchestrate.BySessions
	lower := func(to int, bound orchestrate.Bound) {
		if to < n {
			n, by = to, bound
		}
	}
	per := d.usualRenditionsLocked()
	if r := d.freeEncodersLocked(now); r < unlimited/2 {
		lower(d.sessions+max(0, r)/per, orchestrate.ByEncoders)
	}
	if r := d.renditionsInFreeMemoryLocked(now); r < unlimited/2 {
		lower(d.sessions+r/per, orchestrate.ByMemory)
	}
	switch {
	case !o.byRatio(), d.offer.Remote && d.offer.Sessions > 0:
	case d.sessions > 0 && d.weightedLoad > 0 && max(d.cost, d.offer.Cost) > 0:
		lower(d.limitByRatioLocked(o, now), orchestrate.ByPace)
	default:
		more := 0
		if len(d.unmeasuredSince) < o.untried {
			more = 1
		}
		lower(max(d.sessions+more, o.untried), orchestrate.ByPace)
	}
	return n, by
}

// usualRenditionsLocked and usualLoadLocked are those of an average present session.
func (d *poolDevice) usualRenditionsLocked() int {
	if d.sessions == 0 {
		return 1
	}
	return max(1, d.renditions/max(1, d.sessions-d.unusedSessions))
}

func (d *poolDevice) usualLoadLocked() int64 {
	if d.sessions == 0 {
		return 1
	}
	return max(1, d.weightedLoad/int64(max(1, d.sessions-d.unusedSessions)))
}

func (d *poolDevice) limitByRatioLocked(o *rules, now time.Time) int {
	usual := d.usualLoadLocked()
	freeLoad := d.freeLoadLocked(o, now)
	if freeLoad < float64(usual) {
		// The projection beyond the present sessions is not proven yet.
		return d.sessions
	}
	return d.sessions + max(1, int(min(freeLoad/float64(usual), unlimited)))
}
