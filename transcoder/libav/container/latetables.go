package container

// LateTables returns a segment whose program tables come before its media. Where a
// packet of a stream precedes them, the first association and map are repeated at the
// front: a demuxer gives up looking for them after some megabytes, and what it read
// before them is guesswork. Another segment is returned as it is; data itself is never
// changed.
func LateTables(data []byte) []byte {
	if len(data) < packetSize || data[0] != syncByte {
		return data
	}
	var t tables
	for at := 0; at+packetSize <= len(data) && data[at] == syncByte && !t.whole(); at += packetSize {
		t.take(data, at)
	}
	if !t.late || !t.whole() {
		return data
	}
	front := make([]byte, 0, (1+len(t.programMap))*packetSize+len(data))
	for _, at := range append([]int{t.association}, t.programMap...) {
		front = append(front, data[at:at+packetSize]...)
	}
	return append(front, data...)
}

// maxMapPackets is more than the largest section of a program map takes.
const maxMapPackets = 8

// tables finds a file's first association and map.
type tables struct {
	pid int // of the map, once the association was read
	// association is where the association's packet is, programMap where the map's are.
	association int
	programMap  []int
	// missing is how many bytes of the map's section have not come.
	missing int
	// late says that media came before the tables.
	late bool
}

func (t *tables) whole() bool { return len(t.programMap) > 0 && t.missing <= 0 }

func (t *tables) take(data []byte, at int) {
	p := parsePacket(data, at)
	switch {
	case p.from >= p.to:
	case p.pid == 0 && t.pid == 0:
		if pid := mapPID(section(data, p, 0)); pid != noPID {
			t.pid, t.association = pid, at
		}
	case p.pid == t.pid && t.pid != 0:
		t.takeMap(data, p, at)
	case p.begins && beginsPES(data[p.from:p.to]):
		t.late = true
	}
}

// takeMap takes a packet of the map, which may need several.
func (t *tables) takeMap(data []byte, p packet, at int) {
	if !p.begins {
		if len(t.programMap) > 0 && len(t.programMap) < maxMapPackets {
			t.programMap, t.missing = append(t.programMap, at), t.missing-(p.to-p.from)
		}
		return
	}
	from := p.from + 1 + int(data[p.from])
	if t.programMap = nil; from+3 > p.to || data[from] != 2 {
		return
	}
	length := 3 + (int(data[from+1]&0x0f)<<8 | int(data[from+2]))
	t.programMap, t.missing = []int{at}, length-(p.to-from)
}

func beginsPES(b []byte) bool { return len(b) > 3 && b[0] == 0 && b[1] == 0 && b[2] == 1 }
