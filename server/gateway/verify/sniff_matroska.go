package verify

import "strings"

// Elements of Matroska and WebM that are looked at.
const (
	ebmlHeader, mkvSegment, mkvTracks = 0x1a45dfa3, 0x18538067, 0x1654ae6b
	mkvEntry, mkvCodec, mkvVideo      = 0xae, 0x86, 0xe0
	mkvWidth, mkvHeight               = 0xb0, 0xba
)

// maxElements bounds how many elements side by side are looked at, maxCodecName what is
// read of a codec's name.
const (
	maxElements  = 256
	maxCodecName = 32
)

// Names of codecs in Matroska. Sound's may have more behind them. Read-only.
var (
	mkvVideoCodecs = map[string]string{
		"V_MPEG4/ISO/AVC": "h264", "V_MPEGH/ISO/HEVC": "hevc", "V_VP8": "vp8", "V_VP9": "vp9", "V_AV1": "av1",
		"V_MPEG2": "mpeg2video", "V_MPEG1": "mpeg1video", "V_MPEG4/ISO/ASP": "mpeg4", "V_MJPEG": "mjpeg",
		"V_THEORA": "theora", "V_PRORES": "prores",
	}
	mkvAudioCodecs = []struct{ prefix, codec string }{
		{"A_AAC", "aac"}, {"A_OPUS", "opus"}, {"A_VORBIS", "vorbis"}, {"A_FLAC", "flac"}, {"A_AC3", "ac3"},
		{"A_EAC3", "eac3"}, {"A_MPEG/L3", "mp3"}, {"A_MPEG/L2", "mp2"}, {"A_DTS", "dts"}, {"A_TRUEHD", "truehd"},
		{"A_ALAC", "alac"}, {"A_PCM/INT/LIT", "pcm_s16le"}, {"A_PCM/INT/BIG", "pcm_s16be"}, {"A_PCM/FLOAT", "pcm_f32le"},
	}
)

func isMatroska(data []byte) bool {
	id, _, _ := element(data)
	return id == ebmlHeader
}

// matroska names the first video and sound of a Matroska or WebM file. The container is
// none that renditions have, so it does not count as known.
func matroska(data []byte) (i SniffedInfo) {
	eachElement(data, func(id uint64, segment []byte) {
		if id != mkvSegment {
			return
		}
		eachElement(segment, func(id uint64, tracks []byte) {
			if id != mkvTracks {
				return
			}
			eachElement(tracks, func(id uint64, entry []byte) {
				if id == mkvEntry {
					matroskaTrack(entry, &i)
				}
			})
		})
	})
	return i
}

func matroskaTrack(entry []byte, i *SniffedInfo) {
	var name string
	var width, height int
	eachElement(entry, func(id uint64, body []byte) {
		switch id {
		case mkvCodec:
			name = strings.TrimRight(string(body[:min(len(body), maxCodecName)]), "\x00")
		case mkvVideo:
			eachElement(body, func(id uint64, value []byte) {
				switch id {
				case mkvWidth:
					width = side(value)
				case mkvHeight:
					height = side(value)
				}
			})
		}
	})
	if v := mkvVideoCodecs[name]; v != "" && i.Video == "" {
		i.Video, i.Width, i.Height = v, width, height
	}
	for _, a := range mkvAudioCodecs {
		if i.Audio == "" && strings.HasPrefix(name, a.prefix) {
			i.Audio = a.codec
		}
	}
}

// side returns a width or a height, 0 for one that no frame has.
func side(b []byte) int {
	const most = 1 << 16
	v := 0
	for _, c := range b {
		if v = v<<8 | int(c); v > most {
			return 0
		}
	}
	return v
}

// eachElement calls f for the elements of b one after another, also for a last one that
// is cut short or does not tell its size.
func eachElement(b []byte, f func(id uint64, body []byte)) {
	for range maxElements {
		id, body, rest := element(b)
		if id == 0 {
			return
		}
		f(id, body)
		b = rest
	}
}

// element reads the element that b begins with; its id is 0 when there is none.
func element(b []byte) (id uint64, body, rest []byte) {
	id, n := variable(b, false)
	if n == 0 || n > 4 {
		return 0, nil, nil
	}
	size, m := variable(b[n:], true)
	if m == 0 {
		return 0, nil, nil
	}
	b = b[n+m:]
	if unknown := uint64(1)<<(7*m) - 1; size == unknown || size > uint64(len(b)) {
		return id, b, nil
	}
	return id, b[:size], b[size:]
}

// variable reads a number whose leading zeros tell its length, with or without the mark
// behind them. The length is 0 when there is none.
func variable(b []byte, unmarked bool) (v uint64, n int) {
	if len(b) == 0 || b[0] == 0 {
		return 0, 0
	}
	n = 1
	for mark := byte(0x80); b[0]&mark == 0; mark >>= 1 {
		n++
	}
	if n > len(b) {
		return 0, 0
	}
	v = uint64(b[0])
	if unmarked {
		v &= 1<<(8-n) - 1
	}
	for _, c := range b[1:n] {
		v = v<<8 | uint64(c)
	}
	return v, n
}
