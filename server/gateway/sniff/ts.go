package sniff

import (
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/gateway/verify/container"
)

// scanned bounds how much of the video stream is searched for its parameters.
const scanned = 256 << 10

// stream types of a program map.
var (
	videoTypes = map[byte]string{0x01: "mpeg1video", 0x02: "mpeg2video", 0x10: "mpeg4", 0x1b: "h264", 0x24: "hevc", 0x33: "vvc", 0xd1: "dirac", 0xea: "vc1"}
	audioTypes = map[byte]string{0x03: "mp1", 0x04: "mp2", 0x0f: "aac", 0x11: "aac_latm", 0x81: "ac3", 0x87: "eac3"}
	// audioCodecs is how playlists write audio; AAC is taken to be LC.
	audioCodecs = map[string]string{"aac": "mp4a.40.2", "mp2": "mp4a.40.34", "mp1": "mp4a.40.34", "ac3": "ac-3", "eac3": "ec-3"}
)

// tsReader walks the packets of a transport stream.
type tsReader struct {
	program  container.Program
	info     Info
	pictures int
	video    []byte
}

func transportStream(data []byte) Info {
	r := tsReader{info: Info{Known: true, Format: core.FormatMPEGTS}}
	for off := 0; container.Whole(data, off); off += container.PacketSize {
		r.packet(data[off : off+container.PacketSize])
		if r.pictures > 1 || len(r.video) >= scanned {
			break // the first picture is whole
		}
	}
	i := &r.info
	i.NoFrames = r.program.VideoType != 0 && r.pictures == 0
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
	pid, start := container.PacketHead(p)
	payload := container.Payload(p)
	switch {
	case payload == nil:
	case r.program.VideoType != 0 && pid == r.program.VideoPID:
		if start {
			r.pictures++
			payload = container.PESPayload(payload)
		}
		if r.pictures > 0 && len(r.video) < scanned {
			r.video = append(r.video, payload...)
		}
	case !r.program.Found():
		r.program.Take(pid, start, payload, func(kind byte) bool { return videoTypes[kind] != "" }, func(kind byte) bool { return audioTypes[kind] != "" })
		r.info.Video, r.info.Audio = videoTypes[r.program.VideoType], audioTypes[r.program.AudioType]
	}
}
