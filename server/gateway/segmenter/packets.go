package segmenter

import (
	"bytes"
	"errors"
	"io"
)

const (
	packetSize = 188
	syncByte   = 0x47
	// maxUnit bounds what came of one unit of a PID without its end, maxUnits that of all.
	maxUnit, maxUnits = 8 << 20, 16 << 20
)

// The errors of a transport stream that is not passed on.
var (
	ErrNoPackets = errors.New("what comes is not MPEG-TS")
	ErrTooLarge  = errors.New("a picture is larger than 8 MiB")
	ErrTables    = errors.New("the tables of programs are too large, or too many")
)

// Packets passes on a transport stream whose units are bounded: the parser keeps a unit until the next one of the same
// PID begins, and reads one of tables as a whole again with each packet. What the parser takes nothing of, because its
// header cannot be read, is left out. It begins a unit where the parser does and nowhere else, so that nothing is kept
// that is not counted.
type Packets struct {
	R io.Reader
	// Strict: bytes between packets are an error, and are not left out.
	Strict bool

	buf   [packetSize]byte
	left  []byte
	units map[uint16]*unit
	all   int
	tables
}

// unit is what came of one PID since a unit began there.
type unit struct {
	size int
	// first are the first bytes since the parser forgot what came before, and counter is the last packet's, if any
	// came since.
	first   []byte
	counter byte
	any     bool
}

// Read reads.
func (t *Packets) Read(p []byte) (int, error) {
	for len(t.left) == 0 {
		if err := t.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, t.left)
	t.left = t.left[n:]
	return n, nil
}

// next reads a packet, which is left out where left is empty then.
func (t *Packets) next() error {
	for have := 0; ; {
		if _, err := io.ReadFull(t.R, t.buf[have:]); errors.Is(err, io.ErrUnexpectedEOF) {
			return io.EOF
		} else if err != nil {
			return err
		}
		skip := bytes.IndexByte(t.buf[:], syncByte)
		if skip == 0 {
			break
		}
		if t.Strict {
			return ErrNoPackets
		}
		if have = 0; skip > 0 {
			have = copy(t.buf[:], t.buf[skip:])
		}
	}
	pass, err := t.check(t.buf[:])
	if pass {
		t.left = t.buf[:]
	}
	return err
}

// check counts a packet for its PID.
func (t *Packets) check(b []byte) (pass bool, err error) {
	const failed, begins, payload = 0x80, 0x40, 0x10
	at, jumps, ok := payloadAt(b)
	switch {
	case !ok:
		return false, nil
	case b[1]&failed != 0 || b[3]&payload == 0:
		return true, nil // the parser takes nothing of it
	}
	pid, counter := uint16(b[1]&0x1f)<<8|uint16(b[2]), b[3]&0x0f
	u := t.units[pid]
	if u == nil {
		if t.units == nil {
			t.units = make(map[uint16]*unit)
		}
		u = new(unit)
		t.units[pid] = u
	}
	has := t.has(pid)
	if has {
		t.read(u.first) // it may have come before its PID was named
	}
	if u.any && (jumps || counter != (u.counter+1)&0x0f) {
		u.first = u.first[:0]
	}
	if b[1]&begins != 0 {
		t.all -= u.size
		u.size, u.first = 0, u.first[:0]
	}
	u.counter, u.any = counter, true
	u.size += packetSize
	t.all += packetSize
	u.first = append(u.first, b[at:min(packetSize, at+max(0, maxTables-len(u.first)))]...)
	if has && t.read(u.first) {
		u.first, u.any = u.first[:0], false
	}
	switch {
	case has && u.size > maxTables || len(t.named) > maxPrograms:
		return false, ErrTables
	case u.size > maxUnit || t.all > maxUnits:
		return false, ErrTooLarge
	}
	return true, nil
}

// payloadAt is where a packet's payload begins, and whether its counter may jump. It reports whether the parser can
// read the header.
func payloadAt(b []byte) (at int, jumps, ok bool) {
	const adaptation = 0x20
	at = 4
	if b[3]&adaptation == 0 {
		return at, false, true
	}
	size := int(b[4])
	if at += 1 + size; at > packetSize {
		return 0, false, false
	}
	if size == 0 {
		return at, false, true
	}
	return at, b[5]&0x80 != 0, fits(b[5:])
}

// fits reports whether a packet goes on for as long as the flags of its adaptation field say.
func fits(field []byte) bool {
	const clocks, splice, private, extension = 0x18, 0x04, 0x02, 0x01
	flags, used := field[0], 1
	for f := flags & clocks; f != 0; f &= f - 1 {
		used += 6
	}
	if flags&splice != 0 {
		used++
	}
	if flags&private != 0 {
		if used >= len(field) {
			return false
		}
		used += 1 + int(field[used])
	}
	if flags&extension != 0 {
		if used >= len(field) {
			return false
		}
		size := field[used]
		if used++; size > 0 {
			if used >= len(field) {
				return false
			}
			used += 1 + extended(field[used])
		}
	}
	return used <= len(field)
}

// extended is how many bytes follow the flags of an extension.
func extended(flags byte) (n int) {
	for i, size := range []int{2, 3, 5} {
		if flags&(0x80>>i) != 0 {
			n += size
		}
	}
	return n
}
