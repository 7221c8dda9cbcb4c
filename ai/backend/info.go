package backend

import (
	"context"

	"github.com/tuttinode/tutti/core/inference"
)

// Backend is one runner. Its methods may be called at the same time.
//
// Probe asks the runner how it is. Its error is a fault: RunnerUnreachable,
// RunnerStalled, RunnerAuth, RunnerModelMissing, RunnerFailed or RunnerGarbled;
// a runner that is loading or has failed but says so is no error.
//
// Run sends a job and returns once the answer has begun: see inference.Slot. A
// client's mistake (400, 413, 415, 422) is a Reply, every other failure a fault.
//
// Close lets the idle connections go. Jobs that run are not its matter.
type Backend interface {
	Probe(ctx context.Context) (Info, error)
	Run(ctx context.Context, job *inference.Job) (*inference.Reply, error)
	Close()
}

// Kind is what a runner turned out to be.
type Kind string

// The kinds. All but Contract speak OpenAI's interface.
const (
	Contract Kind = "runner"
	LlamaCpp Kind = "llama.cpp"
	VLLM     Kind = "vllm"
	Ollama   Kind = "ollama"
	OpenAI   Kind = "openai"
)

// Health is what a runner says of itself.
type Health string

// The healths. Idle runners take jobs like those that are OK.
const (
	Loading Health = "LOADING"
	OK      Health = "OK"
	Error   Health = "ERROR"
	Idle    Health = "IDLE"
)

// Usable reports whether a runner of this health takes jobs.
func (h Health) Usable() bool { return h == OK || h == Idle }

// Info is what a probe found.
type Info struct {
	Kind   Kind
	Health Health
	// Reason is what the runner says of a health that is not OK, "" when it is
	// silent.
	Reason string
	// Served is the name that the runner has for the model.
	Served string
	// Models are all the names that it has.
	Models []string
	// Version is the runner's own, "" when it does not tell.
	Version string
	// Slots is how many jobs it runs at once; Assumed says that it does not tell
	// and a default of its kind is given.
	Slots   int
	Assumed bool
	// Context is the longest prompt and answer together, 0 when unknown.
	Context inference.Tokens
	// Operations are what it can do, for llm; nil for other pipelines.
	Operations []inference.Operation
	// GPUs are what it sits on, as far as it tells.
	GPUs []GPU
}

// GPU is one device as a runner reports it.
type GPU struct {
	ID   string
	Name string
	// MemoryTotal and MemoryFree are in bytes.
	MemoryTotal, MemoryFree int64
	// Major and Minor are the compute capability.
	Major, Minor int
}
