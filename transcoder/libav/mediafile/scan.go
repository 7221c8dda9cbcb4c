package mediafile

import (
	"bytes"
	"iter"
)

// scanner looks for late SEI units in a byte stream that comes in pieces. Almost
// no segment has one, so it copies nothing.
type scanner struct {
	zeros  int  // zero bytes just seen
	header bool // the next byte begins a NAL unit
	// delimited: an access unit delimiter was seen. sliced: a slice came after it.
	delimited, sliced bool
}

// anyLate reports whether an SEI unit follows a slice anywhere.
func anyLate(data []byte, chunks iter.Seq[chunk]) bool {
	var s scanner
	for c := range chunks {
		if s.feed(data[c.from:c.to]) {
			return true
		}
	}
	return false
}

// feed takes the next piece and reports whether a late unit begins in it.
func (s *scanner) feed(b []byte) bool {
	for len(b) > 0 {
		if s.zeros == 0 && !s.header {
			i := bytes.IndexByte(b, 0)
			if i < 0 {
				return false
			}
			b = b[i:]
		}
		c := b[0]
		b = b[1:]
		switch {
		case s.header:
			s.header = false
			if c == 0 {
				s.zeros = 1
			}
			if s.unit(c & 0x1f) {
				return true
			}
		case c == 0:
			s.zeros++
		default:
			s.header = c == 1 && s.zeros >= 2
			s.zeros = 0
		}
	}
	return false
}

func (s *scanner) unit(kind byte) bool {
	switch {
	case kind == unitDelimiter:
		s.delimited, s.sliced = true, false
	case kind >= unitFirstSlice && kind <= unitLastSlice:
		s.sliced = s.delimited
	case kind == unitSEI:
		return s.sliced
	}
	return false
}
