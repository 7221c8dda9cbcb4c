package fault

// What a client that publishes a stream by RTMP or SRT can do wrong, and what limits it.
const (
	// PublishAddress (class BadRequest): the path or the stream's identifier names no stream.
	PublishAddress Code = "PublishAddress"
	// PublishProtocol (class BadRequest): what the client sends is not the protocol, or more than it may send.
	PublishProtocol Code = "PublishProtocol"
	// PublishCodec (class BadRequest): the video is not H.264.
	PublishCodec Code = "PublishCodec"
	// PublishNoKeyFrame (class BadRequest): no key frame came for too long.
	PublishNoKeyFrame Code = "PublishNoKeyFrame"
	// PublishSilent (class BadRequest): no picture came for too long.
	PublishSilent Code = "PublishSilent"
	// PublishTaken (class Busy, retryable): another client publishes the stream.
	PublishTaken Code = "PublishTaken"
	// PublishersFull (class Busy, retryable): too many clients publish.
	PublishersFull Code = "PublishersFull"
)

// publishRows are the refusals of publishers. Read-only.
var publishRows = []Row{
	{
		Code: PublishAddress, Class: BadRequest,
		Cause: "The address that an encoder publishes to names no stream, or its name has other characters than " +
			"letters, digits and `-_.~`.",
		Remedy: "Publish to `rtmp://HOST/live/NAME`; by SRT give the streamid `live/NAME`. For live video it is " +
			"`live/video-to-video/NAME?pipeline=MODEL`.",
	},
	{
		Code: PublishProtocol, Class: BadRequest,
		Cause: "A client sent something else than RTMP or SRT to the gateway's port for it, began and did not go on, or " +
			"sent messages above the limits: 8 MiB for a picture, 64 KiB for a command.",
		Remedy: "Check the encoder's address and port. Where strangers do this, let only your encoders reach the port: " +
			"`-rtmpAddr 127.0.0.1:1935`, or a firewall.",
	},
	{
		Code: PublishCodec, Class: BadRequest,
		Cause:  "An encoder publishes video that is not H.264.",
		Remedy: "Set the encoder to H.264 and AAC, or push segments over HTTP, which may hold other codecs.",
	},
	{
		Code: PublishNoKeyFrame, Class: BadRequest,
		Cause: "An encoder sent no key frame for 30 seconds, or 64 MiB of video without one, so that no segment could be " +
			"cut.",
		Remedy: "Set the encoder's key frame interval to 2 seconds (OBS: Output, Keyframe Interval 2).",
	},
	{
		Code: PublishSilent, Class: BadRequest,
		Cause:  "An encoder stayed connected and sent no picture for 30 seconds.",
		Remedy: "Start the stream in the encoder again, and check that it sends video.",
	},
	{
		Code: PublishTaken, Class: Busy, Retryable: true,
		Cause:  "A client of another address, or with another key, publishes a stream under this name.",
		Remedy: "Choose another name for the stream, or stop the other encoder.",
	},
	{
		Code: PublishersFull, Class: Busy, Retryable: true,
		Cause:  "As many clients publish by RTMP or SRT as may, or as this address may.",
		Remedy: "Stop encoders that are not needed, or start another gateway.",
	},
}
