package main

import "time"

// packetSize is the size of an MPEG-TS packet, in bytes.
const packetSize = 188

// clockBits is the size of the clock that MPEG-TS counts 90 kHz ticks with.
const clockBits = 33

// continuous returns the segments with times that go on where the input starts over: a
// program that reads them as one stream would take a step back for a gap, and fill it
// with frames.
func continuous(pieces []piece) []piece {
	once := 1
	for once < len(pieces) && &pieces[once].data[0] != &pieces[0].data[0] {
		once++
	}
	if once == len(pieces) {
		return pieces
	}
	var length time.Duration
	for _, p := range pieces[:once] {
		length += p.duration
	}
	out := append([]piece(nil), pieces...)
	for i := once; i < len(out); i++ {
		passes := time.Duration(i / once)
		out[i].data = later(out[i].data, int64(passes*length*9/100_000))
	}
	return out
}

// later returns a transport stream with all times moved by so many ticks.
func later(stream []byte, ticks int64) []byte {
	out := append([]byte(nil), stream...)
	for at := 0; at+packetSize <= len(out); at += packetSize {
		p := out[at : at+packetSize]
		payload := 4
		if p[3]&0x20 != 0 {
			payload += 1 + int(p[4])
			if p[4] >= 7 && p[5]&0x10 != 0 {
				moveClock(p[6:12], ticks)
			}
		}
		if p[1]&0x40 != 0 && p[3]&0x10 != 0 && payload+19 <= packetSize {
			movePES(p[payload:], ticks)
		}
	}
	return out
}

// moveClock moves a clock reference, whose upper bits count ticks.
func moveClock(b []byte, ticks int64) {
	t := int64(b[0])<<25 | int64(b[1])<<17 | int64(b[2])<<9 | int64(b[3])<<1 | int64(b[4])>>7
	t = (t + ticks) & (1<<clockBits - 1)
	b[0], b[1], b[2], b[3] = byte(t>>25), byte(t>>17), byte(t>>9), byte(t>>1)
	b[4] = b[4]&0x7f | byte(t<<7)
}

// movePES moves the times of a packet of an elementary stream, if one begins here.
func movePES(b []byte, ticks int64) {
	if b[0] != 0 || b[1] != 0 || b[2] != 1 || b[3] < 0xbd || b[6]&0xc0 != 0x80 {
		return
	}
	if b[7]&0x80 != 0 {
		moveTime(b[9:14], ticks)
	}
	if b[7]&0xc0 == 0xc0 {
		moveTime(b[14:19], ticks)
	}
}

// moveTime moves a time, whose bits are in three groups with a marker behind each.
func moveTime(b []byte, ticks int64) {
	t := int64(b[0]>>1&7)<<30 | int64(b[1])<<22 | int64(b[2]>>1)<<15 | int64(b[3])<<7 | int64(b[4]>>1)
	t = (t + ticks) & (1<<clockBits - 1)
	b[0] = b[0]&0xf1 | byte(t>>29)&0x0e
	b[1], b[2] = byte(t>>22), byte(t>>14)|1
	b[3], b[4] = byte(t>>7), byte(t<<1)|1
}
