package inference

import (
	"strconv"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
)

// Model is what a job is for: one model of one pipeline. It is comparable.
type Model struct {
	// Capability is the pipeline's number; Capability.Pipeline() its name.
	Capability capability.ID
	// ID is the model's name in the network, "meta-llama/Meta-Llama-3.1-8B-Instruct".
	// Peers compare it byte for byte.
	ID string
}

// Pipeline returns the pipeline's name; "" where none is known, as of a request that was refused
// before its model was found.
func (m Model) Pipeline() string {
	if m.Capability == (Model{}).Capability {
		return "" // the number 0 is a video codec's
	}
	return m.Capability.Pipeline()
}

// Manifest names the model's account and its signed jobs on the wire: "33_<model>".
func (m Model) Manifest() core.ManifestID {
	return core.ManifestID(strconv.Itoa(int(m.Capability)) + "_" + m.ID)
}

// String is "llm model-id", for logs and errors.
func (m Model) String() string { return m.Capability.Pipeline() + " " + m.ID }

// Units is an amount of AI work as it is priced: output tokens asked for,
// pixels, milliseconds of audio or bytes of text, as the pipeline has it.
type Units int64

// Tokens counts tokens of text.
type Tokens int64
