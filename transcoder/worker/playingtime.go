package worker

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/tuttinode/tutti/core"
)

// MPEG-TS: the size of a packet, its first byte, and the clock, which begins again after 33 bits.
const (
	tsPacket  = 188
	tsSync    = 0x47
	tsClock   = 90_000
	tsClockAt = 1 << 33
)

// playingTime returns for how long a source plays by its own clock, without decoding, at most as long
// as a segment may; 0 where its headers do not say. Senders may leave a segment's length
// out or state too little.
func playingTime(source []byte) time.Duration {
	var seconds float64
	if len(source) > 0 && source[0] == tsSync {
		seconds = tsSeconds(source)
	} else {
		seconds = mp4Seconds(source)
	}
	return time.Duration(min(seconds, core.MaxSegmentDuration.Seconds()) * float64(time.Second))
}

// tsSeconds returns the time from the first frame of a transport stream to the one that is
// shown last.
func tsSeconds(b []byte) float64 {
	var first, most uint64
	begun := false
	for ; len(b) >= tsPacket; b = b[tsPacket:] {
		if b[0] != tsSync {
			break
		}
		at, ok := frameTime(b[:tsPacket])
		switch {
		case !ok:
		case !begun:
			begun, first = true, at
		case (at-first)%tsClockAt < tsClockAt/2:
			most = max(most, (at-first)%tsClockAt)
		}
	}
	return float64(most) / tsClock
}

// frameTime returns the PTS of the frame that begins in a packet.
func frameTime(p []byte) (ticks uint64, ok bool) {
	const begins, extended, payload, firstVideo, lastVideo, hasTime = 0x40, 0x20, 0x10, 0xe0, 0xef, 0x80
	if p[1]&begins == 0 || p[3]&payload == 0 {
		return 0, false
	}
	at := 4
	if p[3]&extended != 0 {
		at += 1 + int(p[4])
	}
	if at+14 > len(p) {
		return 0, false
	}
	h := p[at:]
	if h[0] != 0 || h[1] != 0 || h[2] != 1 || h[3] < firstVideo || h[3] > lastVideo || h[7]&hasTime == 0 {
		return 0, false
	}
	t := h[9:]
	return uint64(t[0]>>1&7)<<30 | uint64(t[1])<<22 | uint64(t[2]>>1)<<15 | uint64(t[3])<<7 | uint64(t[4]>>1), true
}

// mp4Seconds returns what the header of a movie says. In fragments it says nothing.
func mp4Seconds(b []byte) float64 {
	h := mp4Box(mp4Box(b, "moov"), "mvhd")
	if len(h) < 20 {
		return 0
	}
	scale, ticks := uint64(binary.BigEndian.Uint32(h[12:])), uint64(binary.BigEndian.Uint32(h[16:]))
	unknown := uint64(math.MaxUint32)
	if h[0] == 1 {
		if len(h) < 32 {
			return 0
		}
		scale, ticks = uint64(binary.BigEndian.Uint32(h[20:])), binary.BigEndian.Uint64(h[24:])
		unknown = math.MaxUint64
	}
	if scale == 0 || ticks == unknown {
		return 0
	}
	return float64(ticks) / float64(scale)
}

// mp4Box returns the content of the first box of a kind in b, nil when there is none.
func mp4Box(b []byte, kind string) []byte {
	for len(b) >= 8 {
		head, size := uint64(8), uint64(binary.BigEndian.Uint32(b))
		switch size {
		case 0:
			size = uint64(len(b))
		case 1:
			if len(b) < 16 {
				return nil
			}
			head, size = 16, binary.BigEndian.Uint64(b[8:])
		}
		if size < head || size > uint64(len(b)) {
			return nil
		}
		if string(b[4:8]) == kind {
			return b[head:size]
		}
		b = b[size:]
	}
	return nil
}
