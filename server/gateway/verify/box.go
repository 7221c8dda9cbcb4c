package verify

import "encoding/binary"

// IsMP4 reports whether data begins like an MP4 file.
func IsMP4(b []byte) bool {
	if len(b) < 12 {
		return false
	}
	switch string(b[4:8]) {
	case "ftyp", "moov", "styp", "wide", "skip", "free", "mdat", "moof", "sidx", "emsg", "prft":
		return true
	}
	return false
}

// maxBoxes bounds how many boxes side by side are looked at.
const maxBoxes = 1 << 14

// EachBox calls f for every whole box in b, and for a last one that is cut short. at is
// where the box begins in b.
func EachBox(b []byte, f func(kind string, body []byte, at int)) {
	at := 0
	for n := 0; len(b) >= 8 && n < maxBoxes; n++ {
		size, header := uint64(binary.BigEndian.Uint32(b)), 8
		kind := string(b[4:8])
		switch {
		case size == 0:
			size = uint64(len(b))
		case size == 1:
			if len(b) < 16 {
				return
			}
			size, header = binary.BigEndian.Uint64(b[8:]), 16
		}
		if size < uint64(header) {
			return
		}
		size = min(size, uint64(len(b)))
		f(kind, b[header:size], at)
		b = b[size:]
		at += int(size)
	}
}

// ChildBox returns the body of the first box of a kind, nil when there is none.
func ChildBox(b []byte, kind string) []byte {
	var found []byte
	EachBox(b, func(k string, body []byte, _ int) {
		if k == kind && found == nil {
			found = body
		}
	})
	return found
}

// BoxPath descends through boxes.
func BoxPath(b []byte, kinds ...string) []byte {
	for _, k := range kinds {
		b = ChildBox(b, k)
	}
	return b
}
