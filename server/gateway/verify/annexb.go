package verify

import "bytes"

const (
	// unitHead is how much of a NAL unit is kept, enough for a parameter set or a slice
	// header.
	unitHead = 1 << 11
	// scanThreshold is how much of the stream is gathered before it is looked at.
	scanThreshold = 64 << 10
)

// annexB finds the NAL units of a byte stream that comes in pieces. Its memory is
// bounded, whatever comes.
type annexB struct {
	to  units
	buf []byte
	// inUnit: buf begins within a unit, after its start code. handedOver: the unit's
	// beginning was handed over already.
	inUnit, handedOver bool
	count              unitCount
}

func (a *annexB) write(p []byte) {
	a.buf = append(a.buf, p...)
	if len(a.buf) >= scanThreshold {
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
		if a.inUnit && !a.handedOver {
			a.emit(b[:i])
		}
		a.inUnit, a.handedOver = true, false
		b = b[i+len(startCode):]
	}
	if a.inUnit && !a.handedOver && (last || len(b) >= unitHead) {
		a.emit(b)
		a.handedOver = true
	}
	if !a.inUnit || a.handedOver {
		b = b[max(0, len(b)-len(startCode)+1):] // a start code may be cut in two
	}
	a.buf = a.buf[:copy(a.buf, b)]
}

func (a *annexB) emit(unit []byte) {
	if a.count.allow() {
		a.to.unit(head(unit))
	}
}

// unitCount counts NAL units. Tiny ones without end would cost far more time than media
// of the same size.
type unitCount int

// maxUnits exceeds the NAL units of five minutes of many-slice video.
const maxUnits = 1 << 21

// allow counts one unit, and is false once the limit is exceeded.
func (c *unitCount) allow() bool {
	*c++
	return *c <= maxUnits
}

// err returns a fault once the limit is exceeded.
func (c unitCount) err() error {
	if c <= maxUnits {
		return nil
	}
	return unreadable("it has more units than any segment")
}

func head(unit []byte) []byte { return unit[:min(len(unit), unitHead)] }

// startCode begins a NAL unit. Read-only.
var startCode = []byte{0, 0, 1}
