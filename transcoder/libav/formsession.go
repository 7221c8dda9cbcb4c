package libav

import (
	"errors"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// pause is how long the CPU does a part of a session's work before the GPU is
// asked for it again: others give back what they hold in seconds, and each asking
// costs a part of a segment.
const pause = time.Minute

// patience is how many segments in a row the decoder may refuse before it has a pause:
// each of them is begun twice.
const patience = 3

// formAt returns the form of the session's next segment: without what the device refuses
// for good, and without what it is too early to ask for again.
func (own *session) formAt(now time.Time, noEncoder bool) form {
	f := own.form
	f.cpuDecode = f.cpuDecode || now.Before(own.decodeAgain)
	f.cpuEncode = f.cpuEncode || noEncoder || now.Before(own.encodeAgain)
	return f
}

// did takes note of the form in which a segment was done.
func (own *session) did(f form) {
	if !f.cpuDecode {
		own.refused = 0
	}
}

// mayLose reports whether an error leaves an established session without encoders
// that it may have back later. One that has done without them once can do so again,
// whatever there is too little of.
func (own *session) mayLose(err error) bool {
	return own.established && errors.Is(err, fault.EncoderSessionsExhausted) ||
		!own.encodeAgain.IsZero() && full(err)
}

// lose takes note of the part of the work that a segment's form lost from one attempt
// to the next. The decoder is tried again for the next segment, as its refusal mostly
// concerns this one's bytes, unless it refuses one after the other.
func (own *session) lose(from, to form, r *refusal, now time.Time) {
	lost := form{cpuDecode: to.cpuDecode && !from.cpuDecode, cpuEncode: to.cpuEncode && !from.cpuEncode}
	switch {
	case r != nil && (r.lasting || r.forever):
		own.form = own.form.and(lost)
	case lost.cpuEncode:
		own.encodeAgain = now.Add(pause)
	case lost.cpuDecode:
		if own.refused++; own.refused >= patience {
			own.decodeAgain = now.Add(pause)
		}
	}
}
