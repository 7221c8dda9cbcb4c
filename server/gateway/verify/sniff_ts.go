package verify

import (
	"github.com/tuttinode/tutti/core"
)

const (
	// scanned bounds how much of the video stream is searched for its parameters.
	scanned = 256 << 10
	// audioWithin is how far into the file the sound's first frame is looked for once
	// the first frame is whole.
	audioWithin = 1 << 20
	// frameHead is how much is kept of the sound's first frame.
	frameHead = 64
)

// Names of video in a program map: by stream type, and by the registered format
// identifiers of private types. Read-only.
var (
	sniffVideoTypes = map[byte]string{
		0x01: "mpeg1video", 0x02: "mpeg2video", 0x10: "mpeg4", 0x1b: "h264", 0x24: "hevc", 0x33: "vvc",
		0xd1: "dirac", 0xea: "vc1",
	}
	sniffVideoFormats = map[string]string{"HEVC": "hevc", "AV01": "av1", "VC-1": "vc1", "VP09": "vp9", "drac": "dirac"}
)

func videoName(s VideoStream) string {
	if name := sniffVideoTypes[s.Type]; name != "" {
		return name
	}
	return sniffVideoFormats[s.Format]
}

// tsReader reads the beginning of a transport stream's video and sound.
type tsReader struct {
	info               SniffedInfo
	videoPID, audioPID int
	// audioType is the sound's type in a program that is not in the form of discs.
	audioType byte
	// frames counts the starts of packets of the video stream, others those of
	// whatever else is marked as video.
	frames, others int
	video, sound   []byte
}

// transportStream reads the program map first, which may come late or at the end, and
// then the streams from the file's beginning.
func transportStream(data []byte) SniffedInfo {
	r := tsReader{info: SniffedInfo{Known: true, Format: core.FormatMPEGTS}}
	program := r.program(data)
	at := 0
	EachPacket(data, func(p []byte) bool {
		r.packet(p)
		at += len(p)
		whole := r.frames > 1 || len(r.video) >= scanned
		return !whole || r.audioPID != 0 && r.sound == nil && at < audioWithin
	})
	r.info.Audio = audioOf(r.info.Audio, r.audioType, r.sound)
	r.missing(program)
	r.describe()
	return r.info
}

// program finds the streams in the first program's map.
func (r *tsReader) program(data []byte) Program {
	var g Program
	EachPacket(data, func(p []byte) bool {
		pid, start := PacketHead(p)
		g.Take(pid, start, TSPayload(p), func(byte) bool { return true }, func(byte) bool { return false })
		return !g.Found()
	})
	for _, s := range g.Streams {
		if name := videoName(s); name != "" && r.info.Video == "" {
			r.info.Video, r.videoPID = name, s.PID
		}
		name := audioName(s, g.Format)
		if name == "" || r.info.Format.CarriesAudio(r.info.Audio) {
			continue
		}
		// Sound that renditions can carry goes before sound that they cannot.
		if r.info.Audio == "" || r.info.Format.CarriesAudio(name) {
			r.info.Audio, r.audioPID, r.audioType = name, s.PID, s.Type
			if g.Format == discFormat {
				r.audioType = 0
			}
		}
	}
	return g
}

// missing says what is not there, where the whole file was looked through without a
// frame.
func (r *tsReader) missing(g Program) {
	switch {
	case r.frames+r.others > 0 || g.Programs != 1 || !g.Found():
	case r.info.Video != "" && r.info.Audio != "":
		r.info.NoFrames = true
	case r.info.Video != "":
		r.info.NoVideo, r.info.Empty = "a video stream is declared, and there is not one frame", true
	case known(g):
		r.info.NoVideo, r.info.Empty = "no video stream", r.info.Audio == ""
	}
}

// known reports whether the kind of every stream of a program is known: what is not
// may be video.
func known(g Program) bool {
	for _, s := range g.Streams {
		if audioName(s, g.Format) == "" && !dataTypes[s.Type] {
			return false
		}
	}
	return true
}

// dataTypes are stream types of what is neither video nor sound: sections, metadata,
// splice information. Read-only.
var dataTypes = map[byte]bool{0x05: true, 0x0b: true, 0x0c: true, 0x0d: true, 0x15: true, 0x86: true}

func (r *tsReader) packet(p []byte) {
	pid, start := PacketHead(p)
	payload := TSPayload(p)
	switch {
	case payload == nil:
	case pid == r.videoPID && pid != 0:
		if start {
			r.frames++
			payload = PESPayload(payload)
		}
		if r.frames > 0 && len(r.video) < scanned {
			r.video = append(r.video, payload...)
		}
	case pid == r.audioPID && pid != 0:
		if start && r.sound == nil {
			frame := PESPayload(payload)
			r.sound = append(make([]byte, 0, frameHead), frame[:min(len(frame), frameHead)]...)
		}
	case start && isVideoPES(payload):
		r.others++
	}
}

// isVideoPES reports whether a packet of an elementary stream begins here whose
// identifier is one of video.
func isVideoPES(b []byte) bool {
	const id, first, last, extended = 3, 0xe0, 0xef, 0xfd
	return len(b) > id && b[0] == 0 && b[1] == 0 && b[2] == 1 &&
		(b[id] >= first && b[id] <= last || b[id] == extended)
}

// describe names the codecs as playlists do.
func (r *tsReader) describe() {
	i := &r.info
	var videoCodec string
	switch i.Video {
	case "h264":
		videoCodec = h264Stream(r.video, i)
	case "hevc":
		videoCodec = hevcStream(r.video, i)
	}
	i.Codecs = codecs(videoCodec, audioCodec(i.Audio, r.sound), i.Video != "", i.Audio != "")
}
