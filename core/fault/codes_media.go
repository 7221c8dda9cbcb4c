package fault

// Media work: what a transcoder says about a segment. Gateways of the network
// decide by exact text whether to try elsewhere, so each code that they know has
// a fixed wire text, named in its comment where it differs from the token.

// The request is wrong.
const (
	// TooManyOutputs: more renditions are asked for than one session may have. Wire text "Too many
	// outputs".
	TooManyOutputs Code = "TooManyOutputs"
	// TranscoderInvalidClipConfig: a clip starts before 0, ends before it starts or keeps no frame.
	TranscoderInvalidClipConfig Code = "TranscoderInvalidClipConfig"
)

// The segment cannot be transcoded here or anywhere.
const (
	// EmptyData: the segment has no bytes.
	EmptyData Code = "EmptyData"
	// TranscoderInvalidVideo: a session's first segment has no video.
	TranscoderInvalidVideo Code = "TranscoderInvalidVideo"
	// TranscoderInvalidDuration: a segment plays longer than 300 s.
	TranscoderInvalidDuration Code = "TranscoderInvalidDuration"
	// AudioNotCarried: the rendition's container cannot carry the segment's sound, which is copied. Wire
	// text "Invalid argument", which gateways do not try again.
	AudioNotCarried Code = "AudioNotCarried"
	// NoKeyframes: the video has no key frame, so nothing can be decoded. Wire text "No keyframes in
	// input".
	NoKeyframes Code = "NoKeyframes"
	// InvalidData: the bytes are not a media file, or no frame in them can be decoded. Wire text
	// "Invalid data found when processing input".
	InvalidData Code = "InvalidData"
	// EncodedFramesRunaway: broken times would turn the segment into more than 25 output frames per input
	// frame. Wire text "Encoded frames runaway".
	EncodedFramesRunaway Code = "EncodedFramesRunaway"
	// RenditionTooLarge: a rendition would exceed what a peer accepts. Wire text is the token.
	RenditionTooLarge Code = "RenditionTooLarge"
	// UnsupportedInputPixelFormat: the device cannot decode this pixel format. Wire text "Unsupported
	// input pixel format".
	UnsupportedInputPixelFormat Code = "UnsupportedInputPixelFormat"
	// UnsupportedInputCodec: the device cannot decode this codec. Wire text "Unsupported input codec".
	UnsupportedInputCodec Code = "UnsupportedInputCodec"
)

// The media library lacks a part or refuses a setting.
const (
	// DecoderNotFound: no decoder for the segment's video. Wire text "Decoder not found".
	DecoderNotFound Code = "DecoderNotFound"
	// DemuxerNotFound: the container is not among those accepted. Wire text "Demuxer not found".
	DemuxerNotFound Code = "DemuxerNotFound"
	// EncoderNotFound: the profile asks for a codec this device does not encode. Wire text "Encoder not
	// found".
	EncoderNotFound Code = "EncoderNotFound"
	// MuxerNotFound: no writer for the container. Wire text "Muxer not found".
	MuxerNotFound Code = "MuxerNotFound"
	// OptionNotFound: the media library does not know a setting. Wire text "Option not found".
	OptionNotFound Code = "OptionNotFound"
	// InvalidArgument: the media library refuses the combination asked for, such as audio that the
	// container cannot carry. Wire text "Invalid argument".
	InvalidArgument Code = "InvalidArgument"
	// FiltergraphFailed: scaling or the signature filter cannot be set up. Wire text "Error initializing
	// filtergraph".
	FiltergraphFailed Code = "FiltergraphFailed"
)

// The device or its process fails; another one may do better.
const (
	// TranscoderFailed: the media library failed in a way that has no name here; the detail is its own
	// text, and so is the wire text.
	TranscoderFailed Code = "TranscoderFailed"
	// TranscoderInvalidHardware: the device named does not exist or is of an unknown kind.
	TranscoderInvalidHardware Code = "TranscoderInvalidHardware"
	// TranscoderIncompatibleDevices: a session's decoder and encoder would sit on different devices.
	TranscoderIncompatibleDevices Code = "TranscoderIncompatibleDevices"
	// TranscoderInvalidInput: the job itself is malformed.
	TranscoderInvalidInput Code = "TranscoderInvalidInput"
	// UnrecoverableState: the device is lost to this process. Wire text "Unrecoverable state, restart
	// process".
	UnrecoverableState Code = "UnrecoverableState"
)

// mediaRows are the conditions of the media work itself. Read-only.
var mediaRows = []Row{
	{
		Code: TooManyOutputs, Class: BadRequest,
		Cause:  "More renditions are asked for than one session may have.",
		Remedy: "Ask for ten renditions or fewer.",
		Wire:   "Too many outputs",
	},
	{
		Code: TranscoderInvalidClipConfig, Class: BadRequest,
		Cause: "A clip starts before 0, ends before it starts, or keeps no frame: it lies after the segment's " +
			"end or between two frames.",
		Remedy: "Correct the clip's from and to: milliseconds after the segment's first frame.",
		Wire:   "TranscoderInvalidClipConfig",
	},
	{
		Code: EmptyData, Class: BadRequest,
		Cause:  "The segment has no bytes.",
		Remedy: "Look at the pushing encoder: it sends empty segments.",
		Wire:   "EmptyData",
	},
	{
		Code: TranscoderInvalidVideo, Class: BadRequest,
		Cause:  "A session's first segment has no video.",
		Remedy: "Start the stream with a segment that has a frame.",
		Wire:   "TranscoderInvalidVideo",
	},
	{
		Code: TranscoderInvalidDuration, Class: BadRequest,
		Cause:  "A segment plays longer than 300 s.",
		Remedy: "Cut the stream into shorter segments; 2 s is usual.",
		Wire:   "TranscoderInvalidDuration",
	},
	{
		Code: AudioNotCarried, Class: BadRequest,
		Symptom: "`Invalid argument`",
		Cause: "Sound is copied into the renditions, and the container asked for cannot carry the source's " +
			"audio codec: MPEG-TS cannot carry FLAC, PCM or Vorbis, and sound without a decoder here " +
			"(DTS, SMPTE 302M, TrueHD) cannot be described.",
		Remedy: "Set the source's audio encoder to AAC, with FFmpeg `-c:a aac`.",
		Wire:   "Invalid argument",
	},
	{
		Code: NoKeyframes, Class: BadRequest,
		Symptom: "`No keyframes in input`",
		Cause:   "The video has no key frame, so nothing can be decoded.",
		Remedy:  "Cut segments at key frames.",
		Wire:    "No keyframes in input",
	},
	{
		Code: InvalidData, Class: BadRequest,
		Symptom: "`Invalid data found when processing input`",
		Cause:   "The bytes are not a media file, or no frame in them can be decoded.",
		Remedy:  "Look at the pushing encoder and at the segment itself; `ffprobe` shows what is wrong with it.",
		Wire:    "Invalid data found when processing input",
	},
	{
		Code: EncodedFramesRunaway, Class: BadRequest,
		Symptom: "`Encoded frames runaway`",
		Cause:   "Broken times would turn the segment into more than 25 output frames per input frame.",
		Remedy:  "Repair the source's clock, or lower the requested frame rate.",
		Wire:    "Encoded frames runaway",
	},
	{
		Code: RenditionTooLarge, Class: BadRequest,
		Cause:  "A rendition would exceed what a peer accepts.",
		Remedy: "Lower the bitrate or shorten the segment.",
		Wire:   "RenditionTooLarge",
	},
	{
		Code: UnsupportedInputPixelFormat, Class: BadRequest,
		Symptom: "`Unsupported input pixel format`",
		Cause:   "The device cannot decode this pixel format.",
		Remedy:  "Send 8-bit 4:2:0, or use a device that decodes the format.",
		Wire:    "Unsupported input pixel format",
	},
	{
		Code: UnsupportedInputCodec, Class: BadRequest,
		Symptom: "`Unsupported input codec`",
		Cause:   "The device cannot decode this codec.",
		Remedy:  "Send H.264, or use another device.",
		Wire:    "Unsupported input codec",
	},
	{
		Code: DecoderNotFound, Class: BadRequest,
		Symptom: "`Decoder not found`",
		Cause:   "There is no decoder for the segment's video.",
		Remedy:  "Send H.264, HEVC, VP8, VP9 or AV1.",
		Wire:    "Decoder not found",
	},
	{
		Code: DemuxerNotFound, Class: BadRequest,
		Symptom: "`Demuxer not found`",
		Cause:   "The segment's container is not among those accepted.",
		Remedy:  "Send MPEG-TS or MP4.",
		Wire:    "Demuxer not found",
	},
	{
		Code: EncoderNotFound, Class: BadRequest,
		Symptom: "`Encoder not found`",
		Cause:   "The profile asks for a codec that this device does not encode.",
		Remedy:  "Ask for H.264, or use a node with a GPU.",
		Wire:    "Encoder not found",
	},
	{
		Code: MuxerNotFound, Class: BadRequest,
		Symptom: "`Muxer not found`",
		Cause:   "There is no writer for the container asked for.",
		Remedy:  "Ask for MPEG-TS or MP4, which every build has.",
		Wire:    "Muxer not found",
	},
	{
		Code: OptionNotFound, Class: Internal,
		Symptom: "`Option not found`",
		Cause:   "The media library does not know a setting that this program uses.",
		Remedy:  "Build with the libav of `make deps`.",
		Wire:    "Option not found",
	},
	{
		Code: InvalidArgument, Class: BadRequest,
		Symptom: "`Invalid argument`",
		Cause: "The media library refuses the combination asked for, such as audio that the container cannot " +
			"carry.",
		Remedy: "Change the rendition's container or the source's audio codec.",
		Wire:   "Invalid argument",
	},
	{
		Code: FiltergraphFailed, Class: Internal,
		Symptom: "`Error initializing filtergraph`",
		Cause:   "Scaling or the signature filter cannot be set up.",
		Remedy:  "Look at the log line before it; report it with the segment.",
		Wire:    "Error initializing filtergraph",
	},
	{
		Code: TranscoderFailed, Class: Internal,
		Cause:  "The media library failed in a way that has no name here; the detail is its own text.",
		Remedy: "Look at the detail; if it repeats, report it with the segment.",
		Wire:   "{detail}", Retryable: true,
	},
	{
		Code: TranscoderInvalidHardware, Class: Config,
		Cause:  "The device named does not exist or is of an unknown kind.",
		Remedy: "Correct `-nvidia`; `nvidia-smi -L` lists the devices.",
		Wire:   "TranscoderInvalidHardware", Retryable: true,
	},
	{
		Code: TranscoderIncompatibleDevices, Class: Internal,
		Cause:  "A session's decoder and encoder would sit on different devices.",
		Remedy: "None needed: the pool places whole sessions. If it shows, report it.",
		Wire:   "TranscoderIncompatibleDevices",
	},
	{
		Code: TranscoderInvalidInput, Class: Internal,
		Cause:  "The job itself is malformed, which no peer of the network can cause.",
		Remedy: "Report it with the log lines around it.",
		Wire:   "TranscoderInvalidInput", Retryable: true,
	},
	{
		Code: UnrecoverableState, Class: Internal,
		Symptom: "`Unrecoverable state, restart process`",
		Cause:   "The device is lost to the media worker's process.",
		Remedy: "None needed, the worker is replaced; if it repeats, look at the driver's log (`dmesg`, " +
			"`nvidia-smi`).",
		Wire: "Unrecoverable state, restart process", Retryable: true,
	},
}
