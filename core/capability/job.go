package capability

import "github.com/tuttinode/tutti/core"

// Storage is where a gateway keeps its segments.
type Storage int

// The storages a gateway may have.
const (
	StoreOwn Storage = iota
	StoreS3
	StoreGCS
)

// Job is a transcoding stream as far as it decides what an orchestrator must be
// able to do.
type Job struct {
	// InputCodec is H.264 also when unknown (the zero value).
	InputCodec core.VideoCodec
	// PixelFormat is libav's name of the input's pixel format, "yuv422p10le", or
	// "" when unknown. It matters for H.264 only.
	PixelFormat string
	Profiles    []core.Profile
	// HTTPPush is set for streams pushed as segments, which may be sliced.
	HTTPPush bool
	// Verify is set when some segments are verified by their MPEG-7 signature.
	Verify  bool
	Storage Storage
	// MinVersion is the lowest orchestrator version that is taken; "" takes any.
	MinVersion string
}

// ForJob returns what a gateway asks for: bits and a minimum version only, no
// capacities and no version of its own.
func ForJob(job Job) Capabilities {
	ids := []ID{AuthToken, decodeID(job.InputCodec)}
	if id, ok := pixelFormatID(job); ok {
		ids = append(ids, id)
	}
	if job.Verify {
		ids = append(ids, MPEG7Signature)
	}
	if job.HTTPPush {
		ids = append(ids, SegmentSlicing)
	}
	switch job.Storage {
	case StoreS3:
		ids = append(ids, StorageS3)
	case StoreGCS:
		ids = append(ids, StorageGCS)
	case StoreOwn:
	}
	for _, p := range job.Profiles {
		ids = append(ids, profileIDs(p)...)
	}
	return Capabilities{Bits: Of(ids...), Constraints: Constraints{MinVersion: job.MinVersion}}
}

func decodeID(codec core.VideoCodec) ID {
	switch codec {
	case core.CodecHEVC:
		return HEVCDecode
	case core.CodecVP8:
		return VP8Decode
	case core.CodecVP9:
		return VP9Decode
	default:
		return H264
	}
}

func encodeID(codec core.VideoCodec) ID {
	switch codec {
	case core.CodecHEVC:
		return HEVCEncode
	case core.CodecVP8:
		return VP8Encode
	case core.CodecVP9:
		return VP9Encode
	default:
		return H264
	}
}

// pixelFormatID returns the capability besides H264 that an H.264 input needs.
func pixelFormatID(job Job) (ID, bool) {
	if job.InputCodec != core.CodecH264 {
		return 0, false
	}
	switch job.PixelFormat {
	case "yuv444p", "yuvj444p":
		return H264DecodeYUV444Bit8, true
	case "yuv422p", "yuvj422p":
		return H264DecodeYUV422Bit8, true
	case "yuv444p10le", "yuv444p10be":
		return H264DecodeYUV444Bit10, true
	case "yuv422p10le", "yuv422p10be":
		return H264DecodeYUV422Bit10, true
	case "yuv420p10le", "yuv420p10be":
		return H264DecodeYUV420Bit10, true
	}
	return 0, false
}

func profileIDs(p core.Profile) []ID {
	ids := []ID{encodeID(p.Encoder)}
	if p.Format == core.FormatMP4 {
		ids = append(ids, MP4)
	} else {
		ids = append(ids, MPEGTS)
	}
	if p.FPS.Den > 0 {
		ids = append(ids, FractionalFramerates)
	}
	if p.GOP != 0 {
		ids = append(ids, GOP)
	}
	switch p.Profile {
	case core.ProfileBaseline:
		ids = append(ids, H264Baseline)
	case core.ProfileMain:
		ids = append(ids, H264Main)
	case core.ProfileHigh:
		ids = append(ids, H264High)
	case core.ProfileConstrainedHigh:
		ids = append(ids, H264ConstrainedHigh)
	case core.ProfileDefault:
	}
	return ids
}
