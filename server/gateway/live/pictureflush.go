package live

import (
	"io"
	"sync/atomic"
)

const (
	tsPacket = 188
	// maxVideos bounds the video tracks of a segment that are followed.
	maxVideos = 4
)

// pictureFlusher passes an MPEG-TS stream on and marks the end of each picture at its last packet. Pictures have no
// length in MPEG-TS, so a parser ends one only where the next one begins, and viewers would be a picture behind. Muxers
// pad a picture's last packet; pictureFlusher adds a packet after it that starts an empty unit, which the parser skips.
// A muxer may pad other packets as well. Its first picture is cut short by that, and then its stream passes unchanged.
type pictureFlusher struct {
	r io.Reader
	// fills: packets within pictures are filled up. It holds for a stream.
	fills *atomic.Bool

	in     [7 * tsPacket]byte
	have   int
	out    []byte // to be read
	buf    [2 * 7 * tsPacket]byte
	err    error
	plain  bool // no packets were found: bytes pass
	videos map[uint16]*videoTrack
}

// videoTrack is a track of pictures.
type videoTrack struct {
	// added is how many packets were put in: what follows has higher counters.
	added byte
	ended bool
}

// Read reads what there is.
func (p *pictureFlusher) Read(b []byte) (int, error) {
	for len(p.out) == 0 && p.err == nil {
		n, err := p.r.Read(p.in[p.have:])
		p.have, p.err = p.have+n, err
		p.out = p.pass(p.buf[:0], p.in[:p.have])
	}
	if len(p.out) == 0 {
		return 0, p.err
	}
	n := copy(b, p.out)
	p.out = p.out[n:]
	return n, nil
}

// pass appends whole packets to out, and keeps the rest. At the end all is passed.
func (p *pictureFlusher) pass(out, in []byte) []byte {
	for !p.plain && len(in) >= tsPacket {
		if in[0] != 0x47 {
			p.plain = true
			break
		}
		out = p.packet(out, in[:tsPacket])
		in = in[tsPacket:]
	}
	if p.plain || p.err != nil {
		out, in = append(out, in...), nil
	}
	p.have = copy(p.in[:], in)
	return out
}

// packet appends a packet, and perhaps one that shows the end of a picture.
func (p *pictureFlusher) packet(out, b []byte) []byte {
	pid, begins := uint16(b[1]&0x1f)<<8|uint16(b[2]), b[1]&0x40 != 0
	at, filled := payloadOf(b)
	v := p.videos[pid]
	if v == nil && begins && isPicture(b[at:]) && len(p.videos) < maxVideos {
		if v = new(videoTrack); p.videos == nil {
			p.videos = make(map[uint16]*videoTrack)
		}
		p.videos[pid] = v
	}
	out = append(out, b...)
	if v == nil {
		return out
	}
	own := out[len(out)-tsPacket:]
	own[3] = own[3]&0xf0 | (own[3]+v.added)&0x0f
	if at == tsPacket {
		return out // no payload
	}
	if v.ended && !begins {
		p.fills.Store(true)
	}
	if v.ended = filled && !p.fills.Load(); v.ended {
		v.added++
		out = append(out, 0x47, 0x40|b[1]&0x1f, b[2], 0x10|(own[3]+1)&0x0f)
		for range tsPacket - 4 {
			out = append(out, 0xff)
		}
	}
	return out
}

// payloadOf is where a packet's payload begins, and whether bytes before it only fill it up.
func payloadOf(b []byte) (at int, filled bool) {
	at = 4
	if b[3]&0x20 != 0 {
		size := int(b[4])
		at += 1 + size
		if filled = size == 0; size > 0 {
			flags, used := b[5], 1
			for bit, n := range map[byte]int{0x10: 6, 0x08: 6, 0x04: 1} {
				if flags&bit != 0 {
					used += n
				}
			}
			filled = flags&0x03 == 0 && size > used // others have parts of any length
		}
	}
	if at > tsPacket || b[3]&0x10 == 0 {
		return tsPacket, false
	}
	return at, filled
}

// isPicture reports whether a payload is the beginning of a piece of video.
func isPicture(b []byte) bool {
	return len(b) >= 4 && b[0] == 0 && b[1] == 0 && b[2] == 1 && b[3]&0xf0 == 0xe0
}
