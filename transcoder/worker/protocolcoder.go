package worker

import "encoding/binary"

// encoder appends fields: numbers as 8 bytes big endian, texts and byte strings
// with a 4-byte length before them.
type encoder struct{ b []byte }

func (e *encoder) num(v int64) { e.b = binary.BigEndian.AppendUint64(e.b, uint64(v)) }

func (e *encoder) flag(v bool) {
	if v {
		e.num(1)
		return
	}
	e.num(0)
}

func (e *encoder) text(s string) {
	e.b = binary.BigEndian.AppendUint32(e.b, uint32(len(s)))
	e.b = append(e.b, s...)
}

// decoder takes fields off in the same order. The first that does not fit sets
// err; everything after it is zero.
type decoder struct {
	b   []byte
	err error
}

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = protocolErrorf(format, args...)
	}
	d.b = nil
}

func (d *decoder) unsigned() uint64 {
	if len(d.b) < 8 {
		d.fail("message ends in a number")
		return 0
	}
	v := binary.BigEndian.Uint64(d.b)
	d.b = d.b[8:]
	return v
}

func (d *decoder) num() int64 { return int64(d.unsigned()) }

// within reads a number and fails unless lo ≤ n ≤ hi.
func (d *decoder) within(what string, lo, hi int64) int64 {
	n := d.num()
	if d.err == nil && (n < lo || n > hi) {
		d.fail("%s is %d, not within %d and %d", what, n, lo, hi)
		return 0
	}
	return n
}

func (d *decoder) flag() bool { return d.within("a flag", 0, 1) == 1 }

// text reads a text of at most limit bytes.
func (d *decoder) text(what string, limit int) string {
	if len(d.b) < 4 {
		d.fail("message ends before %s", what)
		return ""
	}
	n := binary.BigEndian.Uint32(d.b)
	if n > uint32(limit) || int(n) > len(d.b)-4 {
		d.fail("%s of %d bytes", what, n)
		return ""
	}
	s := string(d.b[4 : 4+n])
	d.b = d.b[4+n:]
	return s
}

// end fails when bytes are left over.
func (d *decoder) end() error {
	if d.err == nil && len(d.b) != 0 {
		d.fail("%d bytes too many in a message", len(d.b))
	}
	return d.err
}
