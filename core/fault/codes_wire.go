package fault

// Headers of a request. The wire texts are what gateways of the network see.
const (
	// PaymentEncoding (payment; wire "base64 decode error: " + detail).
	PaymentEncoding Code = "PaymentEncoding"
	// PaymentMessage (payment; wire "protobuf unmarshal error: " + detail).
	PaymentMessage Code = "PaymentMessage"
	// ErrorSegEncoding (forbidden; wire "ErrorSegEncoding").
	ErrorSegEncoding Code = "ErrorSegEncoding"
	// SegmentMessage (forbidden; wire is the detail).
	SegmentMessage Code = "SegmentMessage"
)

// A segment's description.
const (
	// SegmentFormat (forbidden; wire "unrecognized profile output format").
	SegmentFormat Code = "SegmentFormat"
	// SegmentEncoderProfile (forbidden; wire "unrecognized encoder profile").
	SegmentEncoderProfile Code = "SegmentEncoderProfile"
	// SegmentCodec (forbidden; wire "unrecognized video codec").
	SegmentCodec Code = "SegmentCodec"
	// SegmentDuration (forbidden; wire "invalid duration").
	SegmentDuration Code = "SegmentDuration"
)

// A profile's fields. The tokens are the texts that gateways know as "the input
// is bad": the session is kept and the segment not tried elsewhere.
const (
	// TranscoderInvalidResolution (bad request; wire is the token).
	TranscoderInvalidResolution Code = "TranscoderInvalidResolution"
	// TranscoderUnrecognizedFormat (bad request; wire is the token).
	TranscoderUnrecognizedFormat Code = "TranscoderUnrecognizedFormat"
	// TranscoderUnrecognizedProfile (bad request; wire is the token).
	TranscoderUnrecognizedProfile Code = "TranscoderUnrecognizedProfile"
	// TranscoderInvalidGOP (bad request; wire is the token).
	TranscoderInvalidGOP Code = "TranscoderInvalidGOP"
	// InvalidProfiles (bad request; wire is the detail).
	InvalidProfiles Code = "InvalidProfiles"
)

// wireRows are the conditions of a request's headers and profiles. Read-only.
var wireRows = []Row{
	{
		Code: PaymentEncoding, Class: Payment,
		Symptom: "HTTP 402 `base64 decode error: …`",
		Cause:   "The Livepeer-Payment header is not standard base64, or too long.",
		Remedy: "None here: the gateway, or a proxy before this node, spoils the header; proxies must let " +
			"headers of 128 KiB through.",
		Wire: "base64 decode error: {detail}",
	},
	{
		Code: PaymentMessage, Class: Payment,
		Symptom: "HTTP 402 `protobuf unmarshal error: …`",
		Cause:   "The Livepeer-Payment header decodes to bytes that are no payment.",
		Remedy:  "None here: the gateway sent something else, or an unknown version.",
		Wire:    "protobuf unmarshal error: {detail}",
	},
	{
		Code: ErrorSegEncoding, Class: Forbidden,
		Cause:  "The Livepeer-Segment header is missing or not standard base64.",
		Remedy: "None here: the gateway, or a proxy before this node, spoils the header.",
		Wire:   "ErrorSegEncoding",
	},
	{
		Code: SegmentMessage, Class: Forbidden,
		Cause: "The Livepeer-Segment header decodes to bytes that are no segment description, or to one with " +
			"impossible fields.",
		Remedy: "None here: the gateway sent something else, or an unknown version.",
		Wire:   "{detail}",
	},
	{
		Code: SegmentFormat, Class: Forbidden,
		Cause:  "A rendition is requested in a container that is neither MPEG-TS nor MP4.",
		Remedy: "Change the format of the gateway's profiles.",
		Wire:   "unrecognized profile output format",
	},
	{
		Code: SegmentEncoderProfile, Class: Forbidden,
		Cause:  "A rendition asks for an H.264 profile that the network has no number for.",
		Remedy: "Change the profile spelling of the gateway's profiles.",
		Wire:   "unrecognized encoder profile",
	},
	{
		Code: SegmentCodec, Class: Forbidden,
		Cause:  "A rendition asks for a codec other than H.264, HEVC, VP8 and VP9.",
		Remedy: "Change the encoder of the gateway's profiles.",
		Wire:   "unrecognized video codec",
	},
	{
		Code: SegmentDuration, Class: Forbidden,
		Cause:  "The segment is said to last less than 0 or more than 300 s.",
		Remedy: "Push shorter segments; 2 s is usual.",
		Wire:   "invalid duration",
	},
	{
		Code: TranscoderInvalidResolution, Class: BadRequest,
		Cause:  "A profile's width or height is missing, negative or no number.",
		Remedy: "Give both in pixels, as in \"width\": 1280, \"height\": 720.",
		Wire:   "TranscoderInvalidResolution",
	},
	{
		Code: TranscoderUnrecognizedFormat, Class: BadRequest,
		Cause:  "A profile's container is neither MPEG-TS nor MP4.",
		Remedy: "Push .ts or .mp4; renditions come in the container of the input.",
		Wire:   "TranscoderUnrecognizedFormat",
	},
	{
		Code: TranscoderUnrecognizedProfile, Class: BadRequest,
		Cause: "A profile's H.264 profile or encoder is spelled unlike any known one.",
		Remedy: "Profile is none, H264Baseline, H264Main, H264High or H264ConstrainedHigh; encoder is H.264, " +
			"HEVC, VP8 or VP9.",
		Wire: "TranscoderUnrecognizedProfile",
	},
	{
		Code: TranscoderInvalidGOP, Class: BadRequest,
		Cause:  "A profile's gop is neither a number of seconds of at least 0 nor \"intra\".",
		Remedy: "Give seconds as text, as in \"gop\": \"2.0\".",
		Wire:   "TranscoderInvalidGOP",
	},
	{
		Code: InvalidProfiles, Class: BadRequest,
		Cause: "A list of profiles cannot be read: no JSON, an unknown preset name, a negative or oversize " +
			"number, or too many profiles.",
		Remedy: "Correct the field that the message names; `-transcodingOptions` describes the form.",
		Wire:   "{detail}",
	},
}
