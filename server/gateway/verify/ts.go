package verify

// videoTypes are the stream types of video in a program map; codecs those that are
// counted. Read-only.
var (
	videoTypes = map[byte]bool{0x01: true, 0x02: true, 0x10: true, 0x1b: true, 0x24: true, 0x33: true, 0xd1: true,
		0xea: true}
	tsCodecs = map[byte]string{0x1b: "h264", 0x24: "hevc"}
	// videoFormats are the registered formats of video in private streams. Read-only.
	videoFormats = map[string]bool{"HEVC": true, "VVC ": true, "VC-1": true, "AV01": true, "drac": true}
)

// countTS reads a transport stream: once for its program map, which may stand
// anywhere, and once for the video.
func countTS(data []byte) (Video, error) {
	program := programOf(data)
	if program.VideoType == 0 {
		return Video{}, nil
	}
	to := newUnits(tsCodecs[program.VideoType])
	if to == nil {
		return Video{}, unreadable("its video is neither H.264 nor HEVC")
	}
	stream := annexB{to: to, buf: make([]byte, 0, scanThreshold+PacketSize)}
	begun := false
	EachPacket(data, func(p []byte) bool {
		pid, start := PacketHead(p)
		if pid != program.VideoPID {
			return true
		}
		payload := TSPayload(p)
		if start {
			payload, begun = PESPayload(payload), true
		}
		if begun {
			stream.write(payload)
		}
		return stream.count.err() == nil
	})
	stream.end()
	return to.video(), stream.count.err()
}

// programOf reads a transport stream's program map.
func programOf(data []byte) (program Program) {
	isVideo, isAudio := func(kind byte) bool { return videoTypes[kind] },
		func(kind byte) bool { return kind == 0x0f || kind == 0x03 || kind == 0x04 }
	EachPacket(data, func(p []byte) bool {
		pid, start := PacketHead(p)
		program.Take(pid, start, TSPayload(p), isVideo, isAudio)
		return program.VideoType == 0
	})
	return program
}
