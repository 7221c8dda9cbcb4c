package videorouting

// badInput are the texts with which an orchestrator says that the input, not
// the orchestrator, is at fault. The network compares them exactly. The last two are
// not among the network's own, though the same input fails everywhere.
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

// perhapsBadInput are texts of the network's orchestrators for input that fails everywhere,
// which its gateways try elsewhere all the same.
var perhapsBadInput = map[string]bool{
	"Invalid data found when processing input": true, "EmptyData": true,
}

// loaded are the texts of an orchestrator that has more segments than it can do in time.
var loaded = map[string]bool{"TranscoderBusy": true, "OrchestratorBusy": true}

// Loaded reports whether a text means that the orchestrator has no time for the segment, and
// will have none a moment later.
func Loaded(text string) bool { return loaded[text] }

// PerhapsBadInput reports whether a text may be about the input, so that it alone does not
// count against an orchestrator.
func PerhapsBadInput(text string) bool { return perhapsBadInput[text] }

// BadInput reports whether an orchestrator's error text means that trying
// elsewhere is of no use. The session is then kept and the client told.
func BadInput(text string) bool { return badInput[text] }
