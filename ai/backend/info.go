package backend

import (
	"context"

	"github.com/tuttinode/tutti/core/inference"
)

// Backend is one runner. Its methods may be called concurrently.
//
// Probe asks the runner for its health and details. Its error is a fault:
// RunnerUnreachable, RunnerTLS, RunnerStalled, RunnerAuth, RunnerModelMissing, RunnerFailed or
// RunnerGarbled; a reported Loading or Error health is no error.
//
// Run sends a job and returns once the answer has begun: see inference.Slot. A
// client's mistake (400, 413, 415, 422) is a Reply, every other failure a fault.
//
// Close closes the idle connections. Running jobs continue.
type Backend interface {
	Probe(ctx context.Context) (Info, error)
	Run(ctx context.Context, job *inference.Job) (*inference.Reply, error)
	Close()
}

// Kind is a runner's detected kind.
type Kind string

// The kinds. All but Contract speak OpenAI's interface.
const (
	Contract Kind = "runner"
	LlamaCpp Kind = "llama.cpp"
	VLLM     Kind = "vllm"
	Ollama   Kind = "ollama"
	OpenAI   Kind = "openai"
)

// Health is the state that a runner reports.
type Health string

// The health states. Idle runners take jobs like those that are OK.
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
	// Reason is the runner's explanation of a health that is not OK, "" for none.
	Reason string
	// Served is the runner's name for the model.
	Served string
	// Unlisted says that its list lacks Served, "" if it has it: the server may answer with another
	// model.
	Unlisted string
	// Models are the names of all its models.
	Models []string
	// Version is the runner's own, "" if it does not report one.
	Version string
	// Slots is how many jobs it runs in parallel; Assumed means that it does not report
	// this, so that Slots is the default of its kind.
	Slots   int
	Assumed bool
	// Context is the longest prompt and answer together, 0 when unknown.
	Context inference.Tokens
	// Operations are those it supports, for llm; nil for other pipelines.
	Operations []inference.Operation
	// Features are what else it says that it can do or cannot, for llm.
	Features inference.Features
	// GPUs are those that it reports.
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
