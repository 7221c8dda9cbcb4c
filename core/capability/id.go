package capability

import "strconv"

// ID is a capability's number on the wire: its bit in a bit string.
type ID int

// The capabilities of the network. Number 13 is retired.
const (
	H264                  ID = 0
	MPEGTS                ID = 1
	MP4                   ID = 2
	FractionalFramerates  ID = 3
	StorageDirect         ID = 4
	StorageS3             ID = 5
	StorageGCS            ID = 6
	H264Baseline          ID = 7
	H264Main              ID = 8
	H264High              ID = 9
	H264ConstrainedHigh   ID = 10
	GOP                   ID = 11
	AuthToken             ID = 12
	MPEG7Signature        ID = 14
	HEVCDecode            ID = 15
	HEVCEncode            ID = 16
	VP8Decode             ID = 17
	VP9Decode             ID = 18
	VP8Encode             ID = 19
	VP9Encode             ID = 20
	H264DecodeYUV444Bit8  ID = 21
	H264DecodeYUV422Bit8  ID = 22
	H264DecodeYUV444Bit10 ID = 23
	H264DecodeYUV422Bit10 ID = 24
	H264DecodeYUV420Bit10 ID = 25
	SegmentSlicing        ID = 26
	TextToImage           ID = 27
	ImageToImage          ID = 28
	ImageToVideo          ID = 29
	Upscale               ID = 30
	AudioToText           ID = 31
	SegmentAnything2      ID = 32
	LLM                   ID = 33
	ImageToText           ID = 34
	LiveVideoToVideo      ID = 35
	TextToSpeech          ID = 36
	BYOC                  ID = 37
	Unused                ID = -1
	Invalid               ID = -2
	highest                  = BYOC
)

// String returns the capability's name in the network, or its number when it has none.
func (id ID) String() string {
	if name := id.name(); name != "" {
		return name
	}
	return "capability " + strconv.Itoa(int(id))
}

func (id ID) name() string {
	if id < 0 || id > highest {
		return ""
	}
	return names[id]
}

// names is indexed by ID; an empty name is a capability that cannot be named. Read-only.
var names = [highest + 1]string{
	H264:                  "H.264",
	MPEGTS:                "MPEGTS",
	MP4:                   "MP4",
	FractionalFramerates:  "Fractional framerates",
	StorageDirect:         "Storage direct",
	StorageS3:             "Storage S3",
	StorageGCS:            "Storage GCS",
	H264Baseline:          "H264 Baseline profile",
	H264Main:              "H264 Main profile",
	H264High:              "H264 High profile",
	H264ConstrainedHigh:   "H264 Constrained, Contained High profile",
	GOP:                   "GOP",
	AuthToken:             "Auth token",
	MPEG7Signature:        "MPEG7 signature",
	HEVCDecode:            "HEVC decode",
	HEVCEncode:            "HEVC encode",
	VP8Decode:             "VP8 decode",
	VP9Decode:             "VP9 decode",
	VP8Encode:             "VP8 encode",
	VP9Encode:             "VP9 encode",
	H264DecodeYUV444Bit8:  "H264 Decode YUV444 8-bit",
	H264DecodeYUV422Bit8:  "H264 Decode YUV422 8-bit",
	H264DecodeYUV444Bit10: "H264 Decode YUV444 10-bit",
	H264DecodeYUV422Bit10: "H264 Decode YUV422 10-bit",
	H264DecodeYUV420Bit10: "H264 Decode YUV420 10-bit",
	SegmentSlicing:        "Segment slicing",
	TextToImage:           "Text to image",
	ImageToImage:          "Image to image",
	ImageToVideo:          "Image to video",
	Upscale:               "Upscale",
	AudioToText:           "Audio to text",
	SegmentAnything2:      "Segment anything 2",
	LLM:                   "Llm",
	ImageToText:           "Image to text",
	LiveVideoToVideo:      "Live video to video",
	TextToSpeech:          "Text to speech",
	BYOC:                  "byoc",
}

// Names returns the network's names of all capabilities that have one.
func Names() map[ID]string {
	out := make(map[ID]string, len(names))
	for id := range names {
		if name := names[id]; name != "" {
			out[ID(id)] = name
		}
	}
	return out
}
