package sniff

import "github.com/tuttinode/tutti/core"

const (
	packet   = 188
	syncByte = 0x47
	// scanned bounds how much of the video stream is searched for its parameters.
	scanned = 256 << 10
)

func looksLikeTS(b []byte) bool {
	return len(b) >= packet && b[0] == syncByte && (len(b) < 2*packet || b[packet] == syncByte)
}

// stream types of a program map.
var (
	videoTypes = map[byte]string{0x01: "mpeg1video", 0x02: "mpeg2video", 0x10: "mpeg4", 0x1b: "h264", 0x24: "hevc", 0x33: "vvc", 0xd1: "dirac", 0xea: "vc1"}
	audioTypes = map[byte]string{0x03: "mp1", 0x04: "mp2", 0x0f: "aac", 0x11: "aac_latm", 0x81: "ac3", 0x87: "eac3"}
	// audioCodecs is how playlists write audio; AAC is taken to be LC.
	audioCodecs = map[string]string{"aac": "mp4a.40.2", "mp2": "mp4a.40.34", "mp1": "mp4a.40.34", "ac3": "ac-3", "eac3": "ec-3"}
)

// tsReader walks the packets of a transport stream.
type tsReader struct {
	data []byte
	// programPID is where the program map is; videoPID the first video stream.
	programPID, videoPID int
	info                 Info
	pictures             int
	video                []byte
}

func transportStream(data []byte) Info {
	r := tsReader{data: data, programPID: -1, videoPID: -1}
	r.info = Info{Known: true, Format: core.FormatMPEGTS}
	for off := 0; off+packet <= len(data); off += packet {
		p := data[off : off+packet]
		if p[0] != syncByte {
			break
		}
		r.packet(p)
		if r.pictures > 1 || len(r.video) >= scanned {
			break // the first picture is whole
		}
	}
	i := &r.info
	i.NoFrames = r.videoPID >= 0 && r.pictures == 0
	var videoCodec string
	if i.Video == "h264" {
		videoCodec = h264Stream(r.video, i)
	} else if i.Video == "hevc" {
		i.Parameters = nalBytes(r.video, func(h byte) bool { t := h >> 1 & 0x3f; return t == 33 })
	}
	i.Codecs = codecs(videoCodec, audioCodecs[i.Audio], i.Video != "", i.Audio != "")
	return *i
}

func (r *tsReader) packet(p []byte) {
	pid := int(p[1]&0x1f)<<8 | int(p[2])
	start := p[1]&0x40 != 0
	payload := tsPayload(p)
	switch {
	case payload == nil:
	case pid == 0 && start && r.programPID < 0:
		r.association(payload)
	case pid == r.programPID && start && r.info.Video == "" && r.info.Audio == "":
		r.program(payload)
	case pid == r.videoPID:
		if start {
			r.pictures++
			payload = pesPayload(payload)
		}
		if r.pictures > 0 && len(r.video) < scanned {
			r.video = append(r.video, payload...)
		}
	}
}

// tsPayload is a packet's payload after its adaptation field, nil when none.
func tsPayload(p []byte) []byte {
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

// association finds the first program's map.
func (r *tsReader) association(payload []byte) {
	s := section(payload, 0)
	for ; len(s) >= 4; s = s[4:] {
		if number := int(s[0])<<8 | int(s[1]); number != 0 {
			r.programPID = int(s[2]&0x1f)<<8 | int(s[3])
			return
		}
	}
}

// program finds the first video and the first audio stream.
func (r *tsReader) program(payload []byte) {
	s := section(payload, 2)
	if len(s) < 4 {
		return
	}
	skip := 4 + int(s[2]&0x0f)<<8 + int(s[3])
	if skip > len(s) {
		return
	}
	for s = s[skip:]; len(s) >= 5; {
		kind, pid := s[0], int(s[1]&0x1f)<<8|int(s[2])
		if name, ok := videoTypes[kind]; ok && r.videoPID < 0 {
			r.videoPID, r.info.Video = pid, name
		}
		if name, ok := audioTypes[kind]; ok && r.info.Audio == "" {
			r.info.Audio = name
		}
		skip := 5 + int(s[3]&0x0f)<<8 + int(s[4])
		if skip > len(s) {
			return
		}
		s = s[skip:]
	}
}

// pesPayload is what follows the header of a packetized elementary stream.
func pesPayload(b []byte) []byte {
	if len(b) < 9 || b[0] != 0 || b[1] != 0 || b[2] != 1 {
		return nil
	}
	n := 9 + int(b[8])
	if n > len(b) {
		return nil
	}
	return b[n:]
}
