package videorouting

// badInput are the texts with which an orchestrator reports that the input is at fault. The network
// compares them exactly. The last two are not the network's own, but the same input fails
// everywhere. Read-only.
var badInput = map[string]bool{
	"Unsupported input pixel format":       true,
	"Error initializing filtergraph":       true,
	"Too many outputs":                     true,
	"Unsupported input codec":              true,
	"No keyframes in input":                true,
	"Unrecoverable state, restart process": true,
	"Encoded frames runaway":               true,
	"Decoder not found":                    true,
	"Demuxer not found":                    true,
	"Encoder not found":                    true,
	"Muxer not found":                      true,
	"Option not found":                     true,
	"Invalid argument":                     true,
	"TranscoderInvalidResolution":          true,
	"TranscoderInvalidVideo":               true,
	"TranscoderUnrecognizedFormat":         true,
	"TranscoderUnrecognizedProfile":        true,
	"TranscoderInvalidGOP":                 true,
	"TranscoderIncompatibleDevices":        true,
	"TranscoderInvalidClipConfig":          true,
	"TranscoderInvalidDuration":            true,
}

// maybeBadInput are texts of the network's orchestrators for input that fails everywhere; its
// gateways try another orchestrator all the same. Read-only.
var maybeBadInput = map[string]bool{
	"Invalid data found when processing input": true, "EmptyData": true,
}

// loaded are the texts of an orchestrator that has more segments than it can do in time. Read-only.
var loaded = map[string]bool{"TranscoderBusy": true, "OrchestratorBusy": true}

// Loaded reports whether a text means that the orchestrator has no time for the segment.
func Loaded(text string) bool { return loaded[text] }

// MaybeBadInput reports whether a text may be about the input, so that it does not count against an
// orchestrator.
func MaybeBadInput(text string) bool { return maybeBadInput[text] }

// BadInput reports whether an orchestrator's error text means that no other orchestrator would
// succeed. The session is then kept and the client gets the error.
func BadInput(text string) bool { return badInput[text] }
