package fault

// Media work: what a transcoder says about a segment. Gateways of the network
// decide by exact text whether to try elsewhere, so each code that they know has
// a fixed wire text, named in its comment where it differs from the token.

// The request is wrong.
const (
	// TooManyOutputs: more renditions are asked for than one session may have.
	// Wire text "Too many outputs". Remedy: ask for ten renditions or fewer.
	TooManyOutputs Code = "TooManyOutputs"
	// TranscoderInvalidClipConfig: a clip starts before 0, ends before it starts or
	// keeps no frame. Remedy: correct the clip's from and to.
	TranscoderInvalidClipConfig Code = "TranscoderInvalidClipConfig"
)

// The segment cannot be transcoded here or anywhere.
const (
	// EmptyData: the segment has no bytes. Remedy: look at the pushing encoder.
	EmptyData Code = "EmptyData"
	// TranscoderInvalidVideo: a session's first segment has no video. Remedy:
	// start the stream with a segment that has a picture.
	TranscoderInvalidVideo Code = "TranscoderInvalidVideo"
	// TranscoderInvalidDuration: a segment plays longer than 300 s. Remedy: cut
	// the stream into shorter segments; 2 s is usual.
	TranscoderInvalidDuration Code = "TranscoderInvalidDuration"
	// AudioNotCarried: the rendition's container cannot carry the segment's sound,
	// which is copied. Wire text "Invalid argument", which gateways do not try again.
	// Remedy: send AAC.
	AudioNotCarried Code = "AudioNotCarried"
	// NoKeyframes: the video has no key frame, so nothing can be decoded. Wire
	// text "No keyframes in input". Remedy: cut segments at key frames.
	NoKeyframes Code = "NoKeyframes"
	// InvalidData: the bytes are not a media file, or no picture in them can be
	// decoded. Wire text "Invalid data found when processing input". Remedy: look
	// at the pushing encoder and at the segment itself.
	InvalidData Code = "InvalidData"
	// EncodedFramesRunaway: broken times would turn the segment into more than 25
	// output frames per input frame. Wire text "Encoded frames runaway". Remedy:
	// repair the source's clock or lower the requested frame rate.
	EncodedFramesRunaway Code = "EncodedFramesRunaway"
	// RenditionTooLarge: a rendition would exceed what a peer accepts. Wire text
	// is the token. Remedy: lower the bitrate or shorten the segment.
	RenditionTooLarge Code = "RenditionTooLarge"
	// UnsupportedInputPixelFormat: the device cannot decode this pixel format.
	// Wire text "Unsupported input pixel format". Remedy: send 8-bit 4:2:0, or
	// use a device that decodes the format.
	UnsupportedInputPixelFormat Code = "UnsupportedInputPixelFormat"
	// UnsupportedInputCodec: the device cannot decode this codec. Wire text
	// "Unsupported input codec". Remedy: send H.264, or use another device.
	UnsupportedInputCodec Code = "UnsupportedInputCodec"
)

// The media library lacks a part or refuses a setting.
const (
	// DecoderNotFound: no decoder for the segment's video. Wire text "Decoder not
	// found". Remedy: send H.264, HEVC, VP8, VP9 or AV1.
	DecoderNotFound Code = "DecoderNotFound"
	// DemuxerNotFound: the container is not among those accepted. Wire text
	// "Demuxer not found". Remedy: send MPEG-TS or MP4.
	DemuxerNotFound Code = "DemuxerNotFound"
	// EncoderNotFound: the profile asks for a codec this device does not encode.
	// Wire text "Encoder not found". Remedy: ask for H.264, or use a GPU node.
	EncoderNotFound Code = "EncoderNotFound"
	// MuxerNotFound: no writer for the container. Wire text "Muxer not found".
	// Remedy: ask for MPEG-TS or MP4; our builds always have both.
	MuxerNotFound Code = "MuxerNotFound"
	// OptionNotFound: the media library does not know a setting. Wire text
	// "Option not found". Remedy: build with the libav of `make deps`.
	OptionNotFound Code = "OptionNotFound"
	// InvalidArgument: the media library refuses the combination asked for, such
	// as audio that the container cannot carry. Wire text "Invalid argument".
	// Remedy: change the rendition's container or the source's audio codec.
	InvalidArgument Code = "InvalidArgument"
	// FiltergraphFailed: scaling or the signature filter cannot be set up. Wire
	// text "Error initializing filtergraph". Remedy: look at the log line before
	// it; report it with the segment.
	FiltergraphFailed Code = "FiltergraphFailed"
)

// The device or its process fails; another one may do better.
const (
	// TranscoderFailed: the media library failed in a way that has no name here;
	// the detail is its own text, and so is the wire text. Remedy: look at the
	// detail; if it repeats, report it with the segment.
	TranscoderFailed Code = "TranscoderFailed"
	// TranscoderInvalidHardware: the device named does not exist or is of an
	// unknown kind. Remedy: correct -nvidia.
	TranscoderInvalidHardware Code = "TranscoderInvalidHardware"
	// TranscoderIncompatibleDevices: a session's decoder and encoder would sit on
	// different devices. Remedy: none needed; the pool places whole sessions.
	TranscoderIncompatibleDevices Code = "TranscoderIncompatibleDevices"
	// TranscoderInvalidInput: the job itself is malformed. Remedy: report it; a
	// peer of the network cannot cause it.
	TranscoderInvalidInput Code = "TranscoderInvalidInput"
	// UnrecoverableState: the device is lost to this process. Wire text
	// "Unrecoverable state, restart process". Remedy: none needed, the worker is
	// replaced; if it repeats, look at the driver's log.
	UnrecoverableState Code = "UnrecoverableState"
)
