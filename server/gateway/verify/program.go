package verify

// Tables of a transport stream: the identifiers of their sections.
const (
	associationTable = 0
	mapTable         = 2
)

// maxSection is the most bytes that a section of these tables may have, and
// maxStreams how many streams of a program are listed.
const (
	maxSection = 1024
	maxStreams = 64
)

// VideoStream is one elementary stream of a program map.
type VideoStream struct {
	PID int
	// Type is the stream type. Format is the registered format identifier that says
	// what a private type is, "" where there is none. Descriptors are the stream's
	// descriptors, in the file's own bytes or a copy.
	Type        byte
	Format      string
	Descriptors []byte
}

// Program finds the streams of a transport stream's first program. The zero value
// has seen nothing.
type Program struct {
	mapPID int
	// VideoPID is the first video stream's, 0 before one is found; VideoType and
	// AudioType are the stream types in the program map, 0 when there is none.
	VideoPID             int
	VideoType, AudioType byte
	// Programs is how many programs the association lists.
	Programs int
	// Format is the program's own registered format identifier.
	Format string
	// Streams are all streams of the map, nil before it was read.
	Streams []VideoStream

	pending section
}

// Found reports whether the program map was read.
func (g *Program) Found() bool { return g.VideoType != 0 || g.AudioType != 0 }

// Take looks at one packet's payload. video and audio say which stream types count.
func (g *Program) Take(pid int, start bool, payload []byte, video, audio func(kind byte) bool) {
	switch {
	case len(payload) == 0:
	case pid == 0 && g.mapPID == 0:
		g.association(g.pending.take(pid, start, payload, associationTable))
	case pid == g.mapPID && pid != 0 && !g.Found():
		g.streams(g.pending.take(pid, start, payload, mapTable), video, audio)
	}
}

// association finds the first program's map.
func (g *Program) association(s []byte) {
	for ; len(s) >= 4; s = s[4:] {
		if number := int(s[0])<<8 | int(s[1]); number == 0 {
			continue
		}
		if g.Programs++; g.Programs == 1 {
			g.mapPID = int(s[2]&0x1f)<<8 | int(s[3])
		}
	}
}

// streams lists the streams and finds the first video and the first audio stream.
func (g *Program) streams(s []byte, video, audio func(kind byte) bool) {
	if len(s) < 4 {
		return
	}
	skip := 4 + int(s[2]&0x0f)<<8 + int(s[3])
	if skip > len(s) {
		return
	}
	g.Format, g.Streams = registered(s[4:skip]), make([]VideoStream, 0, 2)
	for s = s[skip:]; len(s) >= 5 && len(g.Streams) < maxStreams; {
		kind, pid := s[0], int(s[1]&0x1f)<<8|int(s[2])
		skip := 5 + int(s[3]&0x0f)<<8 + int(s[4])
		one := VideoStream{PID: pid, Type: kind, Descriptors: s[5:min(skip, len(s))]}
		one.Format = registered(one.Descriptors)
		g.Streams = append(g.Streams, one)
		if g.VideoType == 0 && video(kind) {
			g.VideoPID, g.VideoType = pid, kind
		}
		if g.AudioType == 0 && audio(kind) {
			g.AudioType = kind
		}
		if skip > len(s) {
			return
		}
		s = s[skip:]
	}
}

// descriptor returns the body of the first descriptor with a tag, nil when there is none.
func descriptor(b []byte, tag byte) []byte {
	for len(b) >= 2 {
		n := 2 + int(b[1])
		if n > len(b) {
			return nil
		}
		if b[0] == tag {
			return b[2:n:n]
		}
		b = b[n:]
	}
	return nil
}

// registered returns the format identifier of a registration descriptor, "" when there is
// none.
func registered(descriptors []byte) string {
	const tag, size = 0x05, 4
	if d := descriptor(descriptors, tag); len(d) >= size {
		return string(d[:size])
	}
	return ""
}

// section puts a table's section together, which may span packets.
type section struct {
	pid  int
	data []byte
}

// take adds a packet's payload and returns the body of the section, without header and
// checksum, once it is whole; nil before, and for another table's.
func (s *section) take(pid int, start bool, payload []byte, table byte) []byte {
	switch {
	case start:
		n := int(payload[0]) + 1
		if n+3 > len(payload) || payload[n] != table {
			s.data = nil
			return nil
		}
		s.pid, s.data = pid, payload[n:]
	case s.pid != pid || s.data == nil:
		return nil
	default:
		s.data = append(s.data[:len(s.data):len(s.data)], payload...)
	}
	const header, checksum = 8, 4
	length := int(s.data[1]&0x0f)<<8 | int(s.data[2])
	switch {
	case length < header-3+checksum || length > maxSection:
		s.data = nil
	case 3+length <= len(s.data):
		body := s.data[header : 3+length-checksum]
		s.data = nil
		return body
	}
	return nil
}
