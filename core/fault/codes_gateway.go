package fault

// What a client that pushes segments to a gateway can do wrong. All of class
// BadRequest unless said otherwise; not retryable unless said otherwise.
const (
	// PushPath: the URL is not /live/<stream>/<number>.ts or .mp4.
	// Cause: a wrong path, a number that is not one, or a stream name with
	// characters outside letters, digits and -_.~ or over 128 bytes.
	// Remedy: push to /live/<stream>/<number>.ts.
	PushPath Code = "PushPath"
	// PushOff: the gateway takes no segments over HTTP. Class Forbidden.
	// Cause: -httpIngest=false, or a public listening address without an admission
	// hook. Remedy: -httpIngest, -authWebhookUrl, or a loopback address.
	PushOff Code = "PushOff"
	// StreamKeyRequired: streams are open to the gateway's own machine only.
	StreamKeyRequired Code = "StreamKeyRequired"
	// GatewayHostRefused: the Host header names something that is not this gateway.
	GatewayHostRefused Code = "GatewayHostRefused"
	// GatewayCrossSite: a browser page of another site asked.
	GatewayCrossSite Code = "GatewayCrossSite"
	// PlaybackRefused: the signature in a stream's address does not fit.
	PlaybackRefused Code = "PlaybackRefused"
	// PlaybackExpired: the time of a signed address is over.
	PlaybackExpired Code = "PlaybackExpired"
	// PlaybackLifetime: a signed address was asked for with a time that is none.
	PlaybackLifetime Code = "PlaybackLifetime"
	// PushHeader: a header of a push cannot be read.
	// Cause: Content-Duration, Content-Resolution or Content-Slice-From/To is not
	// of its form. Remedy: send milliseconds up to 300000, <width>x<height>, and a
	// slice whose end is not before its beginning.
	PushHeader Code = "PushHeader"
	// PushConfiguration: Livepeer-Transcode-Configuration cannot be used.
	// Cause: it is not JSON, or a profile or preset in it is wrong. Remedy: correct
	// what the text names, or leave the header out for the gateway's own ladder.
	PushConfiguration Code = "PushConfiguration"
	// PushEmpty: the segment has no bytes.
	// Cause: the client sent an empty body. Remedy: check the encoder's output.
	PushEmpty Code = "PushEmpty"
	// PushTooLarge: the segment is over 300 000 000 bytes.
	// Remedy: cut shorter segments; two seconds is usual.
	PushTooLarge Code = "PushTooLarge"
	// PushSlow: the body came too slowly or not to its end in time. Retryable.
	// Cause: the client's uplink is too small or it stopped. Remedy: lower the
	// source's bit rate or push from nearer.
	PushSlow Code = "PushSlow"
	// PushBroken: the connection ended before the body did. Retryable.
	// Cause: the client went away. Remedy: none at the gateway; the client may
	// push the segment again.
	PushBroken Code = "PushBroken"
	// InputCodecUnsupported: the video codec is none of H.264, HEVC, VP8, VP9.
	// Remedy: set the source's encoder to one of them.
	InputCodecUnsupported Code = "InputCodecUnsupported"
	// InputUnreadable: the segment is not media that can be read.
	// Cause: a damaged container, or not MPEG-TS or MP4. Remedy: check the
	// encoder; pushed segments must each be a whole file.
	InputUnreadable Code = "InputUnreadable"
	// InputNoVideo: the segment has no video, and its stream none before.
	// Cause: a stream of sound alone, an initialization segment that was pushed by
	// itself, a video track that has not begun. Remedy: push whole files that start
	// with a picture.
	InputNoVideo Code = "InputNoVideo"
	// InputTooLong: the segment's video plays for more than 300 s.
	// Remedy: cut shorter segments; two seconds is usual.
	InputTooLong Code = "InputTooLong"
	// InputAudioUnsupported: the sound's codec cannot be carried in the renditions'
	// container. Remedy: send AAC.
	InputAudioUnsupported Code = "InputAudioUnsupported"
	// NotOffered: no orchestrator has a capability that the segment needs: a codec to read
	// or to write, a pixel format, a container. Remedy: change the source or the profiles.
	NotOffered Code = "NotOffered"
	// StreamDenied (class Forbidden): the admission hook (-authWebhookUrl) refused
	// the stream. Remedy: ask the operator; the hook's own log says why.
	StreamDenied Code = "StreamDenied"
	// StreamTwoEncoders: several encoders push into one stream.
	// Remedy: give each its own stream name.
	StreamTwoEncoders Code = "StreamTwoEncoders"
	// StreamHookFailed (class Upstream, retryable): the admission hook could not
	// be asked, and a stream that is not admitted is refused.
	// Remedy: check that the -authWebhookUrl service is up and answers JSON.
	StreamHookFailed Code = "StreamHookFailed"
)

// What limits a gateway. Class Busy, retryable.
const (
	// PushesFull: too many segments, or too many bytes of them, are in the
	// gateway. Cause: more load than its limits. Remedy: start more gateways, or
	// raise the limits if memory allows.
	PushesFull Code = "PushesFull"
	// OrchestratorOverShare: the segments and renditions that one orchestrator has in
	// progress fill its share of the gateway's memory. Cause: it is slow, or sends
	// what is far too large. Remedy: none while others take the streams.
	OrchestratorOverShare Code = "OrchestratorOverShare"
	// StreamsFull: the limit on streams is reached.
	// Remedy: raise -maxSessions or start more gateways.
	StreamsFull Code = "StreamsFull"
	// WatchersFull: too many clients follow a stream's events.
	// Remedy: close pages that are not needed.
	WatchersFull Code = "WatchersFull"
)

// What a segment's way through orchestrators can end in, as the client sees it.
// Class Upstream.
const (
	// NoSessionsAvailable (wire "No sessions available", retryable): no
	// orchestrator took the stream.
	// Cause: none of -orchAddr answered, had room, or can do what the profiles
	// need; the log's discovery lines say which. Remedy: check that the
	// orchestrators run and are reachable, raise their -maxSessions, or add some.
	NoSessionsAvailable Code = "NoSessionsAvailable"
	// SegmentNotTranscodable (class BadRequest): an orchestrator said that this
	// input cannot be transcoded anywhere; its text is the detail.
	// Remedy: check the source and the profiles; trying again does not help.
	SegmentNotTranscodable Code = "SegmentNotTranscodable"
	// AttemptsExhausted (retryable): every attempt at the segment failed; the
	// detail is the last failure.
	// Cause: the orchestrators fail, or the input makes them fail. Remedy: see the
	// last failure's own code in the log.
	AttemptsExhausted Code = "AttemptsExhausted"
	// SegmentLate (retryable): the segment's time ran out before an attempt
	// succeeded.
	// Cause: orchestrators too slow or hanging. Remedy: add faster orchestrators
	// or ask for fewer renditions.
	SegmentLate Code = "SegmentLate"
)

// What is wrong with one orchestrator, in logs, figures and events. Class
// Upstream, retryable.
const (
	// OrchestratorUnreachable: no connection, or it ended during discovery.
	// Remedy: check address, port 8935 and firewall.
	OrchestratorUnreachable Code = "OrchestratorUnreachable"
	// OrchestratorSilent: no answer to discovery in time.
	// Remedy: check its load and the network between.
	OrchestratorSilent Code = "OrchestratorSilent"
	// OffersUnanswered: an orchestrator is there and does not answer a router's questions.
	// Remedy: name the router in its -knownPeers, or look at its load.
	OffersUnanswered Code = "OffersUnanswered"
	// OrchestratorUnusable: it answered, but without an address, capabilities or
	// a token, or it cannot do what the job needs; the detail says which.
	// Remedy: update it, or ask for profiles it supports.
	OrchestratorUnusable Code = "OrchestratorUnusable"
	// OrchestratorBlocked: its address is in -orchBlocklist.
	// Remedy: none needed; take it off the list to use it.
	OrchestratorBlocked Code = "OrchestratorBlocked"
	// OrchestratorDeclined: it refused discovery or a segment; the detail is its
	// text. Remedy: see the text; its own log has the reason.
	OrchestratorDeclined Code = "OrchestratorDeclined"
	// OrchestratorFailed: it took the segment and could not transcode it; the
	// detail is its text. Remedy: see the text; its own log has the reason.
	OrchestratorFailed Code = "OrchestratorFailed"
	// OrchestratorBehind (class Busy): it has more segments than it can do in time, and
	// refused this one at once. Remedy: more orchestrators.
	OrchestratorBehind Code = "OrchestratorBehind"
	// OrchestratorLate: it did not accept the segment, or not finish it, in time.
	// Remedy: it is overloaded or hangs; check its load.
	OrchestratorLate Code = "OrchestratorLate"
	// OrchestratorSlow: its renditions came later than the segments play, so the stream
	// moved. Remedy: none at the gateway; check its load.
	OrchestratorSlow Code = "OrchestratorSlow"
	// OrchestratorBroke: the connection ended in the middle of a segment.
	// Remedy: it or the network failed; check its log for a restart.
	OrchestratorBroke Code = "OrchestratorBroke"
	// ResultUnreadable: its answer is not a transcode result.
	// Remedy: something else answers at its address, or its version is broken.
	ResultUnreadable Code = "ResultUnreadable"
	// RenditionCount: it answered with another number of renditions than asked.
	// Remedy: its version is broken; block it.
	RenditionCount Code = "RenditionCount"
	// RenditionDownload: a rendition could not be fetched whole within 4 s.
	// Remedy: its uplink is too small, or it forgot the result too early.
	RenditionDownload Code = "RenditionDownload"
	// OrchestratorList: the hook that lists orchestrators (-orchWebhookUrl) failed;
	// the last list stays in use. Remedy: check the hook's service.
	OrchestratorList Code = "OrchestratorList"
)

// What a player can meet. Class NotFound.
const (
	// StreamNotFound: no such stream is live here. Retryable.
	// Remedy: check the name; a stream exists from its first finished segment to
	// a minute after its last.
	StreamNotFound Code = "StreamNotFound"
	// RenditionNotFound: the stream has no rendition of that name.
	// Remedy: take the names from the master playlist.
	RenditionNotFound Code = "RenditionNotFound"
	// StreamSegmentNotFound: the segment left the window, or never was.
	// Remedy: the player is too far behind; reload the playlist.
	StreamSegmentNotFound Code = "StreamSegmentNotFound"
	// PlaylistFormat: the rendition's segments are MP4 files, which HLS players
	// cannot join. Remedy: ask for MPEG-TS renditions to watch them by HLS.
	PlaylistFormat Code = "PlaylistFormat"
	// RouteNotFound: the gateway has no such address.
	// Remedy: see docs for the gateway's addresses.
	RouteNotFound Code = "RouteNotFound"
)
