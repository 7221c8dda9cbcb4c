// Package livevideo is live video-to-video on an orchestrator: it reserves a runner for a stream, opens
// the stream's four channels, starts the runner on them, and ends all of it when any side ends.
//
// The channels are those of server/trickle; a gateway writes the input and reads the output, the runner
// does the opposite. channels.go has their names and the request by which a runner gets them: the orchestrator
// makes it for its own runners, and an AI worker on another machine makes it again, with the address by which it
// knows the orchestrator. Runners are inference.Workers whose slots are inference.LongSlots: model servers by
// url, containers (ai/manager) and the sample.
//
// The Sample comes with the node, to try and to show live video without a GPU: it draws an effect into each segment,
// in a media worker, on the CPU. It is no model. Its parameters are
// {"effect": "edges" | "gray" | "negative" | "none"}.
//
// A Serverless is the orchestrator's other way to a model: a runner that is a WebSocket server elsewhere, with a
// connection for each stream (serverless*.go). A client asks for a session at /scope. The orchestrator connects to the
// runner, which gets the session's control and events channels, and asks over the connection for the media channels
// that it wants.
//
// The protocols are the network's; what was recorded of them (test/vectors/live) is replayed by the tests.
package livevideo
