package mediafile

import (
	"bytes"
	"slices"
)

// H.264 unit types.
const (
	unitFirstSlice = 1
	unitLastSlice  = 5
	unitSEI        = 6
	unitDelimiter  = 9
)

// LateSEI returns a segment in which no SEI unit follows a frame's first slice.
// Inside each access unit the late ones move to just before that slice; the order
// of everything else and the number of bytes stay, and so do all packets around
// them. A segment that needs no change, or is no MPEG-TS with H.264, is returned
// as it is; data itself is never changed.
func LateSEI(data []byte) []byte {
	if len(data) < packetSize || data[0] != syncByte {
		return data
	}
	chunks := videoChunks(data)
	if !anyLate(data, chunks) {
		return data
	}
	var stream []byte
	for c := range chunks {
		stream = append(stream, data[c.from:c.to]...)
	}
	if !moveLate(stream) {
		return data
	}
	fixed := bytes.Clone(data)
	for c := range chunks {
		n := copy(fixed[c.from:c.to], stream)
		stream = stream[n:]
	}
	return fixed
}

// unit is a unit of the byte stream, its start code included.
type unit struct {
	from, to int
	kind     byte
}

// moveLate reorders a byte stream in place and reports whether it had to.
func moveLate(stream []byte) bool {
	var (
		access []unit
		moved  bool
	)
	flush := func() {
		if reorder(stream, access) {
			moved = true
		}
		access = access[:0]
	}
	delimited := false
	for u, ok := nextUnit(stream, 0); ok; u, ok = nextUnit(stream, u.to) {
		if u.kind == unitDelimiter {
			flush()
			delimited = true
		}
		// Without delimiters it is not known where a frame ends.
		if delimited {
			access = append(access, u)
		}
	}
	flush()
	return moved
}

// startCode begins a NAL unit. Read-only.
var startCode = []byte{0, 0, 1}

// nextUnit finds the unit at or after at. Zero bytes before a start code belong
// to the unit that follows.
func nextUnit(stream []byte, at int) (unit, bool) {
	i := bytes.Index(stream[at:], startCode)
	if i < 0 || at+i+3 >= len(stream) {
		return unit{}, false
	}
	u := unit{from: backToData(stream, at+i, at), kind: stream[at+i+3] & 0x1f, to: len(stream)}
	if n := bytes.Index(stream[at+i+3:], startCode); n >= 0 {
		u.to = backToData(stream, at+i+3+n, at+i+3)
	}
	return u, true
}

func backToData(stream []byte, at, least int) int {
	for at > least && stream[at-1] == 0 {
		at--
	}
	return at
}

// reorder moves late SEI units of one access unit and reports whether there were
// any.
func reorder(stream []byte, access []unit) bool {
	slice := slices.IndexFunc(access, func(u unit) bool { return u.kind >= unitFirstSlice && u.kind <= unitLastSlice })
	if slice < 0 || !slices.ContainsFunc(access[slice:], isSEI) {
		return false
	}
	begin, end := access[slice].from, access[len(access)-1].to
	sorted := make([]byte, 0, end-begin)
	for _, late := range []bool{true, false} {
		for _, u := range access[slice:] {
			if isSEI(u) == late {
				sorted = append(sorted, stream[u.from:u.to]...)
			}
		}
	}
	copy(stream[begin:end], sorted)
	return true
}

func isSEI(u unit) bool { return u.kind == unitSEI }
