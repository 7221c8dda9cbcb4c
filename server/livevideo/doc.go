// Package livevideo is live video-to-video on an orchestrator: it reserves a runner for a stream, opens
// the stream's four channels, starts the runner on them, and ends all of it when any side ends.
//
// The channels are those of server/trickle; a gateway writes the input and reads the output, the runner
// does the opposite. Runners are inference.Workers whose slots are inference.LongSlots: model servers by
// url, containers (ai/manager) and the sample pipeline (livevideo/sample).
//
// The protocol is the network's; what was recorded of it (test/vectors/live) is replayed by the tests.
package livevideo
