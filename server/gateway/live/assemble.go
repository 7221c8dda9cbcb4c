package live

import (
	"time"

	"github.com/pion/rtp"
	"github.com/pion/rtp/codecs"
)

const (
	videoClock = 90000
	audioClock = 48000
	// maxReorder bounds how many packets may wait for an earlier one, holdWithin how long.
	maxReorder = 256
	holdWithin = 200 * time.Millisecond
	// maxAccessUnit bounds one picture.
	maxAccessUnit = 8 << 20
)

// assembler puts the packets of one video track in order and joins them to pictures. A picture comes out with
// its last packet, without waiting for the next one.
type assembler struct {
	// deliver takes a picture in Annex B form. whole is false if packets before it were lost.
	deliver func(timestamp uint32, annexB []byte, whole bool)
	now     func() time.Time

	codec   codecs.H264Packet
	started bool
	next    uint16
	waiting map[uint16]*rtp.Packet
	since   time.Time // when the first of waiting came
	unit    []byte
	// parts is what codec holds of a picture: the parts of a unit until its last one, of which open says that it has
	// not come.
	parts int
	open  bool
	// broken: a part of this picture, or of one before it, was lost.
	broken bool
}

// push takes a packet in order of arrival.
func (a *assembler) push(p *rtp.Packet) {
	if !a.started {
		a.started, a.next, a.waiting = true, p.SequenceNumber, make(map[uint16]*rtp.Packet)
	}
	if ahead := int16(p.SequenceNumber - a.next); ahead < 0 || ahead > 8*maxReorder {
		if ahead < 0 && ahead > -8*maxReorder {
			return // a repeated one, or too late
		}
		a.lose(p.SequenceNumber)
	}
	if len(a.waiting) == 0 {
		a.since = a.now()
	}
	a.waiting[p.SequenceNumber] = p
	a.drain()
	if len(a.waiting) > 0 && (len(a.waiting) > maxReorder || a.now().Sub(a.since) > holdWithin) {
		a.skip()
	}
}

// drain takes what is in order.
func (a *assembler) drain() {
	for p := a.waiting[a.next]; p != nil; p = a.waiting[a.next] {
		delete(a.waiting, a.next)
		a.next++
		a.since = a.now()
		a.add(p)
	}
}

// skip goes on at the earliest packet that is there.
func (a *assembler) skip() {
	first, least := uint16(0), uint16(0xffff)
	for n := range a.waiting {
		if d := n - a.next; d <= least {
			first, least = n, d
		}
	}
	a.next = first
	a.drop()
	a.drain()
}

// lose begins again at a number that is far away.
func (a *assembler) lose(at uint16) {
	clear(a.waiting)
	a.next = at
	a.drop()
}

// drop forgets what there is of a picture.
func (a *assembler) drop() {
	a.broken, a.unit, a.codec = true, nil, codecs.H264Packet{}
	a.parts, a.open = 0, false
}

// partType is that of packets with a part of a unit, of which lastPart marks the last one (RFC 6184, FU-A).
const partType, lastPart = 28, 0x40

func (a *assembler) add(p *rtp.Packet) {
	if len(p.Payload) > 0 {
		data, err := a.codec.Unmarshal(p.Payload)
		if p.Payload[0]&0x1f == partType && err == nil {
			a.parts += len(p.Payload)
			if a.open = p.Payload[1]&lastPart == 0; !a.open {
				a.parts = 0
			}
		}
		if err != nil || a.parts+len(a.unit)+len(data) > maxAccessUnit {
			a.drop()
			return
		}
		a.unit = append(a.unit, data...)
	}
	if !p.Marker {
		return
	}
	if a.open {
		a.broken = true
	}
	unit := a.unit
	a.unit, a.codec, a.parts, a.open = nil, codecs.H264Packet{}, 0, false
	if len(unit) > 0 {
		a.deliver(p.Timestamp, unit, !a.broken)
		a.broken = false
	}
}

// clock turns a track's time stamps into a time that goes on, in units of 90 kHz.
type clock struct {
	rate    int64
	started bool
	last    uint32
	ticks   int64
	base    int64
}

// at is the time of a time stamp; start is the time of the first one.
func (c *clock) at(timestamp uint32, start int64) int64 {
	if !c.started {
		c.started, c.last, c.base = true, timestamp, start
	}
	c.ticks += int64(int32(timestamp - c.last))
	c.last = timestamp
	return c.base + c.ticks*videoClock/c.rate
}
