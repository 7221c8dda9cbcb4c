package fault

// What a client that pushes segments to a gateway can do wrong. All of class
// BadRequest unless said otherwise; not retryable unless said otherwise.
const (
	// PushPath: the URL is not /live/<stream>/<number>.ts or .mp4.
	PushPath Code = "PushPath"
	// PushOff: the gateway takes no segments over HTTP. Class Forbidden.
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
	PushHeader Code = "PushHeader"
	// PushConfiguration: Livepeer-Transcode-Configuration cannot be used.
	PushConfiguration Code = "PushConfiguration"
	// PushEmpty: the segment has no bytes.
	PushEmpty Code = "PushEmpty"
	// PushTooLarge: the segment is over 300 000 000 bytes.
	PushTooLarge Code = "PushTooLarge"
	// PushSlow: the body came too slowly or not to its end in time. Retryable.
	PushSlow Code = "PushSlow"
	// PushBroken: the connection ended before the body did. Retryable.
	PushBroken Code = "PushBroken"
	// InputCodecUnsupported: the video codec is none of H.264, HEVC, VP8, VP9.
	InputCodecUnsupported Code = "InputCodecUnsupported"
	// InputUnreadable: the segment is not media that can be read.
	InputUnreadable Code = "InputUnreadable"
	// InputNoVideo: the segment has no video, and its stream none before.
	InputNoVideo Code = "InputNoVideo"
	// InputTooLong: the segment's video plays for more than 300 s.
	InputTooLong Code = "InputTooLong"
	// InputAudioUnsupported: the sound's codec cannot be carried in the renditions' container.
	InputAudioUnsupported Code = "InputAudioUnsupported"
	// NotOffered: no orchestrator has a capability that the segment needs: a codec to read or to write, a
	// pixel format, a container.
	NotOffered Code = "NotOffered"
	// StreamDenied (class Forbidden): the admission hook (-authWebhookUrl) refused the stream, or an
	// unchecked client pushes into another client's.
	StreamDenied Code = "StreamDenied"
	// StreamTwoEncoders: several encoders push into one stream.
	StreamTwoEncoders Code = "StreamTwoEncoders"
	// StreamHookFailed (class Upstream, retryable): the admission hook could not be asked, and a stream
	// that is not admitted is refused.
	StreamHookFailed Code = "StreamHookFailed"
)

// What limits a gateway. Class Busy, retryable.
const (
	// PushesFull: too many segments, or too many bytes of them, are in the gateway.
	PushesFull Code = "PushesFull"
	// OrchestratorOverShare: the segments and renditions that one orchestrator has in progress fill its
	// share of the gateway's memory.
	OrchestratorOverShare Code = "OrchestratorOverShare"
	// StreamsFull: the limit on streams is reached.
	StreamsFull Code = "StreamsFull"
	// WatchersFull: too many clients follow a stream's events.
	WatchersFull Code = "WatchersFull"
)

// What a segment's way through orchestrators can end in, as the client sees it.
// Class Upstream.
const (
	// NoSessionsAvailable (wire "No sessions available", retryable): no orchestrator took the stream.
	NoSessionsAvailable Code = "NoSessionsAvailable"
	// SegmentNotTranscodable (class BadRequest): an orchestrator said that this input cannot be transcoded
	// anywhere; its text is the detail.
	SegmentNotTranscodable Code = "SegmentNotTranscodable"
	// AttemptsExhausted (retryable): every attempt at the segment failed; the detail is the last failure.
	AttemptsExhausted Code = "AttemptsExhausted"
	// SegmentLate (retryable): the segment's time ran out before an attempt succeeded.
	SegmentLate Code = "SegmentLate"
)

// What is wrong with one orchestrator, in logs, figures and events. Class
// Upstream, retryable.
const (
	// OrchestratorUnreachable: no connection, or it ended during discovery.
	OrchestratorUnreachable Code = "OrchestratorUnreachable"
	// OrchestratorSilent: no answer to discovery in time.
	OrchestratorSilent Code = "OrchestratorSilent"
	// OffersUnanswered: an orchestrator is there and does not answer a router's questions.
	OffersUnanswered Code = "OffersUnanswered"
	// OrchestratorUnusable: it answered, but without an address, capabilities or a token, or it cannot do
	// what the job needs; the detail says which.
	OrchestratorUnusable Code = "OrchestratorUnusable"
	// OrchestratorBlocked: its address is in -orchBlocklist.
	OrchestratorBlocked Code = "OrchestratorBlocked"
	// OrchestratorDeclined: it refused discovery or a segment; the detail is its text.
	OrchestratorDeclined Code = "OrchestratorDeclined"
	// OrchestratorFailed: it took the segment and could not transcode it; the detail is its text.
	OrchestratorFailed Code = "OrchestratorFailed"
	// OrchestratorBehind (class Busy): it has more segments than it can do in time, and refused this one
	// at once.
	OrchestratorBehind Code = "OrchestratorBehind"
	// OrchestratorLate: it did not accept the segment, or not finish it, in time.
	OrchestratorLate Code = "OrchestratorLate"
	// OrchestratorSlow: its renditions came later than the segments play, so the stream moved.
	OrchestratorSlow Code = "OrchestratorSlow"
	// OrchestratorBroke: the connection ended in the middle of a segment.
	OrchestratorBroke Code = "OrchestratorBroke"
	// ResultUnreadable: its answer is not a transcode result.
	ResultUnreadable Code = "ResultUnreadable"
	// RenditionCount: it answered with another number of renditions than asked.
	RenditionCount Code = "RenditionCount"
	// RenditionDownload: a rendition could not be fetched whole within 4 s.
	RenditionDownload Code = "RenditionDownload"
	// OrchestratorList: the hook that lists orchestrators (-orchWebhookUrl) failed; the last list stays in
	// use.
	OrchestratorList Code = "OrchestratorList"
)

// What a player can meet. Class NotFound.
const (
	// StreamNotFound: no such stream is live here. Retryable.
	StreamNotFound Code = "StreamNotFound"
	// RenditionNotFound: the stream has no rendition of that name.
	RenditionNotFound Code = "RenditionNotFound"
	// StreamSegmentNotFound: the segment left the window, or never was.
	StreamSegmentNotFound Code = "StreamSegmentNotFound"
	// PlaylistFormat: the rendition's segments are MP4 files, which HLS players cannot join.
	PlaylistFormat Code = "PlaylistFormat"
	// RouteNotFound: the gateway has no such address.
	RouteNotFound Code = "RouteNotFound"
)

// gatewayRows are the conditions of a gateway: pushing, finding orchestrators, playing. Read-only.
var gatewayRows = []Row{
	{
		Code: PushPath, Class: BadRequest,
		Cause: "The pushed URL is not /live/<stream>/<number>.ts or .mp4: a wrong path, a number that is not " +
			"one, or a stream name with characters outside letters, digits and -_.~ or over 128 bytes.",
		Remedy: "Push to /live/<stream>/<number>.ts.",
	},
	{
		Code: PushOff, Class: Forbidden,
		Cause: "The gateway takes no segments over HTTP: `-httpIngest=false` is set, or it listens " +
			"on an address that others reach and has no `-authWebhookUrl` to say which clients may push.",
		Remedy: "Write `-httpIngest` to take segments from every client that reaches the address, give " +
			"`-authWebhookUrl`, or listen on a loopback address.",
		Wire: "this gateway takes no pushed segments (-httpIngest is off)",
	},
	{
		Code: PushHeader, Class: BadRequest,
		Cause: "Content-Duration, Content-Resolution or Content-Slice-From/To of a push is not of its form.",
		Remedy: "Send milliseconds up to 300000, <width>x<height>, and a slice whose end is not before its " +
			"beginning.",
	},
	{
		Code: PushConfiguration, Class: BadRequest,
		Cause:  "The header Livepeer-Transcode-Configuration is not JSON, or a profile or preset in it is wrong.",
		Remedy: "Correct what the text names, or leave the header out for the gateway's own ladder.",
	},
	{
		Code: PushEmpty, Class: BadRequest,
		Cause:  "The client pushed a segment without bytes.",
		Remedy: "Check the encoder's output.",
	},
	{
		Code: PushTooLarge, Class: BadRequest,
		Cause:  "The pushed segment is over 300 000 000 bytes.",
		Remedy: "Cut shorter segments; two seconds is usual.",
	},
	{
		Code: PushSlow, Class: BadRequest,
		Cause: "The body of a push came too slowly or not to its end in time: the client's uplink is too small, " +
			"or it stopped.",
		Remedy: "Lower the source's bit rate or push from nearer.", Retryable: true,
	},
	{
		Code: PushBroken, Class: BadRequest,
		Cause:  "The connection of a push ended before the body did: the client went away.",
		Remedy: "None at the gateway; the client may push the segment again.", Retryable: true,
	},
	{
		Code: InputCodecUnsupported, Class: BadRequest,
		Cause:  "The pushed video's codec is none of H.264, HEVC, VP8, VP9.",
		Remedy: "Set the source's encoder to one of them.",
	},
	{
		Code: InputUnreadable, Class: BadRequest,
		Cause:  "The pushed segment is not media that can be read: a damaged container, or not MPEG-TS or MP4.",
		Remedy: "Check the encoder; pushed segments must each be a whole file.",
	},
	{
		Code: InputNoVideo, Class: BadRequest,
		Cause: "The pushed segment has no video: the stream is sound alone, an initialization segment was " +
			"pushed by itself, or the video has not begun. The detail says which.",
		Remedy: "Push segments that are each a whole file and start with a frame; `ffprobe` shows the streams " +
			"of one.",
	},
	{
		Code: InputTooLong, Class: BadRequest,
		Cause:  "The pushed segment's video plays for more than 300 s, which the network does not allow.",
		Remedy: "Cut shorter segments, with FFmpeg for example `-f segment -segment_time 2`.",
	},
	{
		Code: InputAudioUnsupported, Class: BadRequest,
		Cause: "Sound is copied into the renditions, and their container cannot carry the source's audio codec. " +
			"MPEG-TS carries AAC, AC-3, E-AC-3, MP2, MP3 and Opus; MP4 carries these and ALAC, DTS, FLAC, " +
			"PCM and Vorbis.",
		Remedy: "Set the source's audio encoder to AAC, with FFmpeg `-c:a aac`.",
	},
	{
		Code: NotOffered, Class: BadRequest,
		Cause: "Every orchestrator answered, and all lack a capability that the segment needs: its codec or " +
			"pixel format to read, or an encoder of the profiles. The detail names it.",
		Remedy: "Send H.264 with 8 bits and 4:2:0, ask for H.264 renditions, or give the gateway orchestrators " +
			"that offer it (`-orchAddr`).",
	},
	{
		Code: StreamTwoEncoders, Class: BadRequest,
		Cause: "Several encoders push into one stream: other bytes came under numbers that were there, or two " +
			"addresses take turns. Players see frames of both, with jumps; each segment is paid for. The " +
			"detail names the stream and the addresses.",
		Remedy: "Give each encoder a stream name of its own, or stop the one that was forgotten.",
	},
	{
		Code: StreamDenied, Class: Forbidden,
		Cause: "The stream is another client's: it belongs to the API key, the gateway's own machine or the address " +
			"that began it. Or the admission hook (`-authWebhookUrl`, `-liveAIAuthWebhookUrl`) refused the push, or " +
			"admitted it to another stream than the one of that name; the hook also decides about a client that joins a " +
			"running stream.",
		Remedy: "Ask the operator; the hook's own log says why. Push with the token that the hook wants in every " +
			"segment's address, not only in the first one's. Without a hook, push with the key, or to another name; " +
			"publish, change and read a live stream with the same key.",
	},
	{
		Code: StreamHookFailed, Class: Upstream,
		Cause: "The admission hook could not be asked, or its answer cannot be used, and a stream that is not admitted " +
			"is refused.",
		Remedy:    "Check that the service of `-authWebhookUrl`, or of `-liveAIAuthWebhookUrl`, is up and answers JSON.",
		Retryable: true,
	},
	{
		Code: PushesFull, Class: Busy,
		Cause:  "Too many segments, or too many bytes of them, are in the gateway at once.",
		Remedy: "Start more gateways, or raise the limits if memory allows.", Retryable: true,
	}, {
		Code: OrchestratorOverShare, Class: Upstream,
		Cause: "The segments and renditions, or the answers of models, that one orchestrator has in progress " +
			"fill its share of the gateway's memory: it is slow, or it announces and sends what is far too " +
			"large. A segment is tried with another orchestrator.",
		Remedy: "No action needed while other orchestrators take the work. If it is the only one, add another " +
			"with `-orchAddr`, or send fewer streams and jobs at once.", Retryable: true,
	},

	{
		Code: StreamsFull, Class: Busy,
		Cause:  "The gateway's limit on streams is reached.",
		Remedy: "Raise `-maxSessions` or start more gateways.", Retryable: true,
	},
	{
		Code: WatchersFull, Class: Busy,
		Cause:  "Too many clients follow a stream's events.",
		Remedy: "Close pages that are not needed.", Retryable: true,
	},
	{
		Code: NoSessionsAvailable, Class: Upstream,
		Cause: "No orchestrator took the stream: none of `-orchAddr` answered, had capacity, or can do what the " +
			"profiles need.",
		Remedy: "Look at the log's discovery lines; check that the orchestrators run and are reachable, raise " +
			"their `-maxSessions`, or add some.",
		Wire: "No sessions available", Retryable: true,
	},
	{
		Code: SegmentNotTranscodable, Class: BadRequest,
		Cause:  "An orchestrator said that this input cannot be transcoded anywhere; its text is the detail.",
		Remedy: "Check the source and the profiles; trying again does not help.",
	},
	{
		Code: AttemptsExhausted, Class: Upstream,
		Cause: "Every attempt at the segment failed, because the orchestrators fail or the input makes them " +
			"fail; the detail is the last failure.",
		Remedy: "Look up the last failure's own code in the log.", Retryable: true,
	},
	{
		Code: SegmentLate, Class: Upstream,
		Cause:  "The segment's time ran out before an attempt succeeded: the orchestrators are too slow or hang.",
		Remedy: "Add faster orchestrators or ask for fewer renditions.", Retryable: true,
	},
	{
		Code: OrchestratorUnreachable, Class: Upstream,
		Cause:  "No connection to the orchestrator, or it ended during discovery.",
		Remedy: "Check its address, port 8935 and the firewall between.", Retryable: true,
	},
	{
		Code: OrchestratorSilent, Class: Upstream,
		Cause:  "The orchestrator did not answer discovery in time.",
		Remedy: "Check its load and the network between.", Retryable: true,
	},
	{
		Code: OffersUnanswered, Class: Upstream,
		Cause: "An orchestrator shows its status and does not answer the questions of the router for an offer " +
			"in time: it is overloaded, or the router is an unknown address to it that has asked as much as " +
			"one may.",
		Remedy: "Start the orchestrator with `-knownPeers` and the router's address; if it has that, look at its " +
			"load with `tutti_cli status`.", Retryable: true,
	},
	{
		Code: OrchestratorUnusable, Class: Upstream,
		Cause: "The orchestrator answered without an address, capabilities or a token, or it cannot do what the " +
			"job needs; the detail says which.",
		Remedy: "Update it, or ask for profiles that it supports.", Retryable: true,
	},
	{
		Code: OrchestratorBlocked, Class: Upstream,
		Cause:  "The orchestrator's address is in `-orchBlocklist`.",
		Remedy: "None needed; take it off the list to use it.", Retryable: true,
	},
	{
		Code: OrchestratorDeclined, Class: Upstream,
		Cause:  "The orchestrator refused discovery or a segment; the detail is its text.",
		Remedy: "Read the text; the orchestrator's own log has the reason.", Retryable: true,
	},
	{
		Code: OrchestratorFailed, Class: Upstream,
		Cause:  "The orchestrator took the segment and could not transcode it; the detail is its text.",
		Remedy: "Read the text; the orchestrator's own log has the reason.", Retryable: true,
	},
	{
		Code: OrchestratorBehind, Class: Busy,
		Cause: "The orchestrator has more segments than it can do in time, and refused this one at once. It is " +
			"not sent there again.",
		Remedy:    "Give the gateway more orchestrators (`-orchAddr`), or ask for fewer or smaller renditions.",
		Retryable: true,
	},
	{
		Code: OrchestratorLate, Class: Upstream,
		Cause:  "The orchestrator did not accept the segment, or not finish it, in time: it is overloaded or hangs.",
		Remedy: "Check its load, or remove it from `-orchAddr`.", Retryable: true,
	},
	{
		Code: OrchestratorSlow, Class: Upstream,
		Symptom: "a stream moved to another orchestrator although no segment failed",
		Cause: "The renditions of a segment took longer than the segment plays, so that the stream would have " +
			"fallen behind; another orchestrator had offered to take it.",
		Remedy: "No action needed for single moves. If streams leave one orchestrator again and again, check its " +
			"load and the network between it and the gateway, or take it off `-orchAddr`.", Retryable: true,
	},
	{
		Code: OrchestratorBroke, Class: Upstream,
		Cause:  "The connection to the orchestrator ended in the middle of a segment: it or the network failed.",
		Remedy: "Check the orchestrator's log for a restart.", Retryable: true,
	},
	{
		Code: ResultUnreadable, Class: Upstream,
		Cause: "The orchestrator's answer is not a transcode result: something else answers at its address, or " +
			"its version is broken.",
		Remedy: "Check the address in `-orchAddr`, or update the orchestrator.", Retryable: true,
	},
	{
		Code: RenditionCount, Class: Upstream,
		Cause:  "The orchestrator answered with another number of renditions than asked for; its version is broken.",
		Remedy: "Update the orchestrator, or put it on `-orchBlocklist`.", Retryable: true,
	},
	{
		Code: RenditionDownload, Class: Upstream,
		Cause: "A rendition could not be fetched whole within 4 s: the orchestrator's uplink is too small, it " +
			"forgot the result too early, or it keeps its results in an object store at a private address " +
			"that `-objectStoreNetworks` does not name.",
		Remedy: "Check the orchestrator's upload bandwidth. If the store is in a network of your own, name that " +
			"in `-objectStoreNetworks`, as in `-objectStoreNetworks 10.9.0.0/16`, and start the gateway " +
			"again.", Retryable: true,
	},
	{
		Code: OrchestratorList, Class: Upstream,
		Cause:  "The hook that lists orchestrators (`-orchWebhookUrl`) failed; the last list stays in use.",
		Remedy: "Check that the hook's service is up and answers a JSON array.", Retryable: true,
	},
	{
		Code: StreamNotFound, Class: NotFound,
		Cause: "No such stream is live here; a stream exists from its first finished segment to a minute after " +
			"its last.",
		Remedy: "Check the name and whether the source pushes.", Retryable: true,
	},
	{
		Code: RenditionNotFound, Class: NotFound,
		Cause:  "The stream has no rendition of that name.",
		Remedy: "Take the names from the master playlist.",
	},
	{
		Code: StreamSegmentNotFound, Class: NotFound,
		Cause:  "The segment left the window of the playlist, or never was: the player is too far behind.",
		Remedy: "Reload the playlist.",
	},
	{
		Code: PlaylistFormat, Class: NotFound,
		Cause:  "The rendition's segments are MP4 files, which HLS players cannot join.",
		Remedy: "Ask for MPEG-TS renditions to watch them by HLS.",
	},
	{
		Code: RouteNotFound, Class: NotFound,
		Cause:  "The gateway has no such address.",
		Remedy: "See docs/architecture.md for the gateway's addresses.",
	},
	{
		Code: StreamKeyRequired, Class: Unauthenticated,
		Cause: "The request for a stream (a push, a playlist, a segment, events or the list) came from " +
			"another machine, or through a proxy or a tunnel, or `-streamAccess keys` " +
			"asks every client for a key. It carried no API key and no signed address.",
		Remedy: "Make a key with `tutti key create -name player` and send it as `Authorization: Bearer KEY`; " +
			"for players ask `POST /api/streams/NAME/playback` for a signed address. " +
			"To let every client in, start the gateway with `-streamAccess open`.",
	},
	{
		Code: GatewayHostRefused, Class: Forbidden,
		Cause: "A request without an API key names a host that is not this gateway. That is how a web page " +
			"reaches into the machine of its reader: " +
			"its own name is made to point to 127.0.0.1.",
		Remedy: "Use http://127.0.0.1:PORT, or name the host with `-gatewayHosts media.example.org`; a request " +
			"with an API key may use any name.",
	},
	{
		Code: GatewayCrossSite, Class: Forbidden,
		Cause: "A browser asked the gateway for a page of another site, or of another port of this machine, " +
			"without an API key or a signed address.",
		Remedy: "Give the page a signed address (`POST /api/streams/NAME/playback`), or start the gateway with " +
			"`-streamAccess open` if every page may play its streams.",
	},
	{
		Code: PlaybackRefused, Class: Forbidden,
		Cause: "The signature in the address was not made by this gateway for this stream and this time.",
		Remedy: "Ask `POST /api/streams/NAME/playback` again. Gateways behind one balancer need the same " +
			"`playback.key` in their data directories.",
	},
	{
		Code: PlaybackExpired, Class: Forbidden,
		Cause: "The time of the signed address is over.",
		Remedy: "Ask `POST /api/streams/NAME/playback` again, with a longer `lifetime` if the stream is longer " +
			"(up to 168h).",
	},
	{
		Code: PlaybackLifetime, Class: BadRequest,
		Cause:  "The lifetime of a signed address is not a duration above 0 and up to 168h.",
		Remedy: "Write it as `?lifetime=6h`, or leave it out for 6 hours.",
	},
}
