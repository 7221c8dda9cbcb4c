package devices

import (
	_ "embed" // the clips
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
)

var (
	//go:embed clips/h264_yuv420p.ts
	h264 []byte
	//go:embed clips/h264_yuv444p.ts
	h264Chroma444 []byte
	//go:embed clips/h264_yuv422p.ts
	h264Chroma422 []byte
	//go:embed clips/h264_yuv444p10le.ts
	h264Chroma444Bit10 []byte
	//go:embed clips/h264_yuv422p10le.ts
	h264Chroma422Bit10 []byte
	//go:embed clips/h264_yuv420p10le.ts
	h264Bit10 []byte
	//go:embed clips/hevc.ts
	hevc []byte
	//go:embed clips/vp8.webm
	vp8 []byte
	//go:embed clips/vp9.webm
	vp9 []byte
	//go:embed clips/memory.ts
	large []byte
	//go:embed clips/pace.ts
	pattern []byte
)

// Playing times of the clips: of a white picture, and of the test pattern in clips/pace.ts.
const (
	whiteTime   = 200 * time.Millisecond
	patternTime = time.Second
)

// probeTrial is a capability and the job that tests it on a device.
type probeTrial struct {
	id      capability.ID
	clip    []byte
	profile core.Profile
}

// toHEVC and toH264 are the smallest renditions that hardware encoders accept.
func toHEVC() core.Profile {
	return core.Profile{Name: "test", Width: 145, Height: 145, Bitrate: 1_000_000, Encoder: core.CodecHEVC}
}

func toH264() core.Profile {
	return core.Profile{Name: "test", Width: 146, Height: 146, Bitrate: 1_000_000, Encoder: core.CodecH264}
}

// trials are the capabilities that depend on the device. The first is required of every device; the
// others are optional. A transcoder's other capabilities work on every device. Read-only.
var trials = []probeTrial{
	{capability.H264, h264, toH264()},
	{capability.HEVCDecode, hevc, toH264()},
	{capability.HEVCEncode, h264, toHEVC()},
	{capability.VP8Decode, vp8, toH264()},
	{capability.VP9Decode, vp9, toH264()},
	{capability.H264DecodeYUV444Bit8, h264Chroma444, toH264()},
	{capability.H264DecodeYUV422Bit8, h264Chroma422, toH264()},
	{capability.H264DecodeYUV444Bit10, h264Chroma444Bit10, toH264()},
	{capability.H264DecodeYUV422Bit10, h264Chroma422Bit10, toH264()},
	{capability.H264DecodeYUV420Bit10, h264Bit10, toH264()},
}

// ladder returns the usual renditions of a stream, with which memory and speed are measured.
func ladder() []core.Profile {
	return []core.Profile{
		{Name: "720p", Width: 1280, Height: 720, Bitrate: 3_000_000, Profile: core.ProfileConstrainedHigh},
		{Name: "480p", Width: 854, Height: 480, Bitrate: 1_600_000, Profile: core.ProfileConstrainedHigh},
		{Name: "360p", Width: 640, Height: 360, Bitrate: 800_000, Profile: core.ProfileConstrainedHigh},
		{Name: "240p", Width: 426, Height: 240, Bitrate: 250_000, Profile: core.ProfileConstrainedHigh},
	}
}
