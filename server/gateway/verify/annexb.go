package verify

import "bytes"

const (
	// unitHead is how much of a NAL unit is kept: a parameter set and a slice's
	// beginning are within.
	unitHead = 1 << 11
	// pending is how much of the stream is gathered before it is looked at.
	pending = 64 << 10
)

// annexB finds the NAL units of a byte stream that comes in pieces. Its memory is
// bounded, whatever comes.
type annexB struct {
	to  units
	buf []byte
	// open: buf begins within a unit, after its start code. done: the unit's beginning
	// was handed over already.
	open, done bool
	flood      flood
}

func (a *annexB) write(p []byte) {
	a.buf = append(a.buf, p...)
	if len(a.buf) >= pending {
		a.scan(false)
	}
}

func (a *annexB) end() { a.scan(true) }

// scan hands over the units in buf and keeps the one that has not ended.
func (a *annexB) scan(last bool) {
	b := a.buf
	for {
		i := bytes.Index(b, startCode)
		if i < 0 {
			break
		}
		if a.open && !a.done {
			a.hand(b[:i])
		}
		a.open, a.done = true, false
		b = b[i+len(startCode):]
	}
	if a.open && !a.done && (last || len(b) >= unitHead) {
		a.hand(b)
		a.done = true
	}
	if !a.open || a.done {
		b = b[max(0, len(b)-len(startCode)+1):] // a start code may be cut in two
	}
	a.buf = a.buf[:copy(a.buf, b)]
}

func (a *annexB) hand(unit []byte) {
	if a.flood.more() {
		a.to.unit(head(unit))
	}
}

// flood counts NAL units. Tiny ones without end would cost far more time than media
// of the same size.
type flood int

// maxUnits is more than five minutes of frames in many slices have.
const maxUnits = 1 << 21

// more counts one unit, and is false when there were too many.
func (f *flood) more() bool {
	*f++
	return *f <= maxUnits
}

// err is the fault of too many.
func (f flood) err() error {
	if f <= maxUnits {
		return nil
	}
	return unreadable("it has more units than any segment")
}

func head(unit []byte) []byte { return unit[:min(len(unit), unitHead)] }

// startCode begins a NAL unit. Read-only.
var startCode = []byte{0, 0, 1}
