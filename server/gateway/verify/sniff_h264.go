package verify

import (
	"bytes"
	"fmt"
)

// sniffStartCode begins a NAL unit. Read-only.
var sniffStartCode = []byte{0, 0, 1}

// nalBytes returns the first NAL unit, in start code form, whose first byte is wanted.
func nalBytes(b []byte, wanted func(header byte) bool) string {
	for {
		i := bytes.Index(b, sniffStartCode)
		if i < 0 || i+3 >= len(b) {
			return ""
		}
		b = b[i+3:]
		if !wanted(b[0]) {
			continue
		}
		unit := b
		if end := bytes.Index(b, sniffStartCode); end >= 0 {
			unit = b[:end]
		}
		return string(bytes.TrimRight(unit[:min(len(unit), maxParameters)], "\x00"))
	}
}

// maxParameters bounds what is kept of a parameter set.
const maxParameters = 256

// h264Stream fills in what the stream's first sequence parameter set says and
// returns the codec as playlists write it.
func h264Stream(b []byte, i *SniffedInfo) string {
	return h264Parameters(nalBytes(b, func(h byte) bool { return h&0x1f == 7 }), i)
}

func h264Parameters(sps string, i *SniffedInfo) string {
	if len(sps) < 4 {
		return ""
	}
	i.Parameters = sps
	codec := fmt.Sprintf("avc1.%02x%02x%02x", sps[1], sps[2], sps[3])
	if s, ok := ReadAVCSPS([]byte(sps[1:])); ok {
		i.Width, i.Height, i.FPS, i.PixelFormat = s.Width, s.Height, s.FPS, pixelFormat(s)
	}
	return codec
}

func pixelFormat(s avcSPS) string {
	name := map[uint]string{0: "gray", 1: "yuv420p", 2: "yuv422p", 3: "yuv444p"}[s.Chroma]
	if name != "" && s.Depth > 8 {
		name += fmt.Sprintf("%dle", s.Depth)
	}
	return name
}
