package fault

// Headers of a request. The wire texts are what gateways of the network see.
const (
	// PaymentEncoding (payment; wire "base64 decode error: " + detail).
	// Cause: the Livepeer-Payment header is not standard base64, or too long.
	// Remedy: none here: the gateway, or a proxy before this node, spoils the
	// header; proxies must let headers of 128 KiB through.
	PaymentEncoding Code = "PaymentEncoding"
	// PaymentMessage (payment; wire "protobuf unmarshal error: " + detail).
	// Cause: the Livepeer-Payment header decodes to bytes that are no payment.
	// Remedy: none here: the gateway sent something else, or an unknown version.
	PaymentMessage Code = "PaymentMessage"
	// ErrorSegEncoding (forbidden; wire "ErrorSegEncoding").
	// Cause: the Livepeer-Segment header is missing or not standard base64.
	// Remedy: none here: the gateway, or a proxy before this node, spoils the
	// header.
	ErrorSegEncoding Code = "ErrorSegEncoding"
	// SegmentMessage (forbidden; wire is the detail).
	// Cause: the Livepeer-Segment header decodes to bytes that are no segment
	// description, or to one with impossible fields.
	// Remedy: none here: the gateway sent something else, or an unknown version.
	SegmentMessage Code = "SegmentMessage"
)

// A segment's description.
const (
	// SegmentFormat (forbidden; wire "unrecognized profile output format").
	// Cause: a rendition is asked for in a container that is neither MPEG-TS nor
	// MP4. Remedy: change the format of the gateway's profiles.
	SegmentFormat Code = "SegmentFormat"
	// SegmentEncoderProfile (forbidden; wire "unrecognized encoder profile").
	// Cause: a rendition asks for an H.264 profile that the network has no number
	// for. Remedy: change the profile spelling of the gateway's profiles.
	SegmentEncoderProfile Code = "SegmentEncoderProfile"
	// SegmentCodec (forbidden; wire "unrecognized video codec").
	// Cause: a rendition asks for a codec other than H.264, HEVC, VP8 and VP9.
	// Remedy: change the encoder of the gateway's profiles.
	SegmentCodec Code = "SegmentCodec"
	// SegmentDuration (forbidden; wire "invalid duration").
	// Cause: the segment is said to last less than 0 or more than 300 s.
	// Remedy: push shorter segments; 2 s is usual.
	SegmentDuration Code = "SegmentDuration"
)

// A profile's fields. The tokens are the texts that gateways know as "the input
// is bad": the session is kept and the segment not tried elsewhere.
const (
	// TranscoderInvalidResolution (bad request; wire is the token).
	// Cause: a profile's width or height is missing, negative or no number.
	// Remedy: give both in pixels, like "width": 1280, "height": 720.
	TranscoderInvalidResolution Code = "TranscoderInvalidResolution"
	// TranscoderUnrecognizedFormat (bad request; wire is the token).
	// Cause: a profile's container is neither MPEG-TS nor MP4.
	// Remedy: push .ts or .mp4; renditions come in the container of the input.
	TranscoderUnrecognizedFormat Code = "TranscoderUnrecognizedFormat"
	// TranscoderUnrecognizedProfile (bad request; wire is the token).
	// Cause: a profile's H.264 profile or encoder is spelled unlike any known one.
	// Remedy: profile is none, H264Baseline, H264Main, H264High or
	// H264ConstrainedHigh; encoder is H.264, HEVC, VP8 or VP9.
	TranscoderUnrecognizedProfile Code = "TranscoderUnrecognizedProfile"
	// TranscoderInvalidGOP (bad request; wire is the token).
	// Cause: a profile's gop is neither a number of seconds of at least 0 nor
	// "intra". Remedy: give seconds as text, like "gop": "2.0".
	TranscoderInvalidGOP Code = "TranscoderInvalidGOP"
	// InvalidProfiles (bad request; wire is the detail).
	// Cause: a list of profiles cannot be read: no JSON, an unknown preset name,
	// a negative or oversize number, or too many profiles.
	// Remedy: the message names the field; see -transcodingOptions.
	InvalidProfiles Code = "InvalidProfiles"
)
