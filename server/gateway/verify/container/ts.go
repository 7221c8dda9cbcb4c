package container

// PacketSize is the length of a transport stream packet, in bytes.
const PacketSize = 188

const syncByte = 0x47

// IsTS reports whether data begins like a transport stream.
func IsTS(b []byte) bool {
	return len(b) >= PacketSize && b[0] == syncByte && (len(b) < 2*PacketSize || b[PacketSize] == syncByte)
}

// Sync is the offset of the first packet at or after off, len(b) when there is none.
// A whole packet begins there.
func Sync(b []byte, off int) int {
	for ; off+PacketSize <= len(b); off++ {
		if b[off] == syncByte && (off+PacketSize == len(b) || b[off+PacketSize] == syncByte) {
			return off
		}
	}
	return len(b)
}

// Whole reports whether a packet begins at off.
func Whole(b []byte, off int) bool { return off+PacketSize <= len(b) && b[off] == syncByte }

// PacketHead is a packet's PID and whether a unit begins in it.
func PacketHead(p []byte) (pid int, start bool) {
	return int(p[1]&0x1f)<<8 | int(p[2]), p[1]&0x40 != 0
}

// Payload is a packet's payload after its adaptation field, nil when none.
func Payload(p []byte) []byte {
	control := p[3] >> 4 & 3
	body := p[4:]
	if control&1 == 0 {
		return nil
	}
	if control&2 != 0 {
		n := int(body[0]) + 1
		if n >= len(body) {
			return nil
		}
		body = body[n:]
	}
	return body
}

// PESPayload is what follows the header of a packetized elementary stream, nil when
// it is none.
func PESPayload(b []byte) []byte {
	if len(b) < 9 || b[0] != 0 || b[1] != 0 || b[2] != 1 {
		return nil
	}
	n := 9 + int(b[8])
	if n > len(b) {
		return nil
	}
	return b[n:]
}

// Program finds the streams of a transport stream's first program. The zero value
// has seen nothing.
type Program struct {
	mapPID int
	// VideoPID is the first video stream's, 0 before one is found; VideoType and
	// AudioType are the stream types in the program map, 0 when there is none.
	VideoPID             int
	VideoType, AudioType byte
}

// Found reports whether the program map was read.
func (g *Program) Found() bool { return g.VideoType != 0 || g.AudioType != 0 }

// Take looks at one packet's payload. video and audio say which stream types count.
func (g *Program) Take(pid int, start bool, payload []byte, video, audio func(kind byte) bool) {
	switch {
	case !start || len(payload) == 0:
	case pid == 0 && g.mapPID == 0:
		g.association(section(payload, 0))
	case pid == g.mapPID && pid != 0 && !g.Found():
		g.streams(section(payload, 2), video, audio)
	}
}

// association finds the first program's map.
func (g *Program) association(s []byte) {
	for ; len(s) >= 4; s = s[4:] {
		if number := int(s[0])<<8 | int(s[1]); number != 0 {
			g.mapPID = int(s[2]&0x1f)<<8 | int(s[3])
			return
		}
	}
}

// streams finds the first video and the first audio stream.
func (g *Program) streams(s []byte, video, audio func(kind byte) bool) {
	if len(s) < 4 {
		return
	}
	skip := 4 + int(s[2]&0x0f)<<8 + int(s[3])
	if skip > len(s) {
		return
	}
	for s = s[skip:]; len(s) >= 5; {
		kind, pid := s[0], int(s[1]&0x1f)<<8|int(s[2])
		if g.VideoType == 0 && video(kind) {
			g.VideoPID, g.VideoType = pid, kind
		}
		if g.AudioType == 0 && audio(kind) {
			g.AudioType = kind
		}
		skip := 5 + int(s[3]&0x0f)<<8 + int(s[4])
		if skip > len(s) {
			return
		}
		s = s[skip:]
	}
}

// section is the body of a table section that begins in payload, without its
// checksum; nil when it is not whole in this packet.
func section(payload []byte, table byte) []byte {
	n := int(payload[0]) + 1
	if n+3 > len(payload) || payload[n] != table {
		return nil
	}
	s := payload[n:]
	length := int(s[1]&0x0f)<<8 | int(s[2])
	if length < 9 || 3+length > len(s) {
		return nil
	}
	return s[8 : 3+length-4]
}
