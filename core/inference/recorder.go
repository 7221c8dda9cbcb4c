package inference

import (
	"math/big"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// Recorder receives events to be counted. Calls are cheap, never block and never fail. NopRecorder
// ignores everything.
type Recorder interface {
	// JobDone: a job ended, successfully or not. f is not kept.
	JobDone(f *JobStats)
	// ModelChanged: a model of this node entered a state.
	ModelChanged(s *ModelState)
	// ResultReceived: a job's result came from a remote worker within a time, or broke off and was
	// lost.
	ResultReceived(m Model, took time.Duration, whole bool)
}

// JobStats describes one job as a hop saw it. Zero times did not happen.
type JobStats struct {
	Model     Model
	Operation Operation
	// Key is the name (never the secret) of the API key, "" without one.
	Key string
	// Orchestrator is the one that a gateway sent it to; "" on an orchestrator.
	Orchestrator string
	RequestID    string
	// Status is the HTTP status of the answer; Code is why it failed, "" when it did not.
	Status int
	Code   fault.Code
	Stream bool
	// Tries is the number of orchestrators asked.
	Tries int
	// Hedged: a second one was asked because the first was late.
	Hedged bool
	// Queue is the wait for a slot, FirstByte from the request's arrival to the
	// answer's first byte, Total to its last.
	Queue, FirstByte, Total time.Duration
	// Own is the part of Total that was spent waiting neither for the next hop nor for the client.
	Own time.Duration
	// Events counts the events of a stream.
	Events int
	Usage  Usage
	Units  Units
	// Sender is the account that pays an orchestrator, zero elsewhere and off-chain.
	Sender core.Address
	// Price is wei per unit, nil where the job was free or had no price yet. It is read-only.
	Price *big.Rat
	// TraceID is that of the job's trace in hex, "" where none is recorded.
	TraceID string
}

// NopRecorder ignores everything.
type NopRecorder struct{}

// JobDone ignores the event.
func (NopRecorder) JobDone(*JobStats) {}

// ResultReceived ignores the event.
func (NopRecorder) ResultReceived(Model, time.Duration, bool) {}

// ModelChanged ignores the event.
func (NopRecorder) ModelChanged(*ModelState) {}
