package worker

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/rpc"
)

// transcoderCredential is the protocol's marker of results.
const transcoderCredential = "Livepeer-Transcoder-1.0"

const (
	// transcoderMaxTasks is many more than a machine has sessions.
	transcoderMaxTasks = 1024
	// besides bounds a notification's size without its segment.
	besides = 1 << 20
)

// TranscoderClient is a lifecycle.Component that drains. It is safe for concurrent use.
type TranscoderClient struct {
	o           TranscoderOptions
	loop        *Loop[rpc.NotifySegment]
	sessions    sessions
	inputBudget memoryBudget

	mu sync.Mutex // covers the fields below
	// offeredCapacity is the capacity in the last offer.
	offeredCapacity int
	// inputs fetch for each orchestrator.
	inputs map[*Link]*http.Transport
}

// NewTranscoder makes a Client; nothing happens until Run.
func NewTranscoder(o TranscoderOptions) (*TranscoderClient, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	instance, err := transcoderRandomHex(o.Random, 16)
	if err != nil {
		return nil, err
	}
	c := &TranscoderClient{
		o: o, inputs: make(map[*Link]*http.Transport), inputBudget: memoryBudget{most: o.MaxInput},
	}
	c.loop, err = New(Options{
		Orchestrators: o.Orchestrators, Secret: o.Secret, TLS: o.TLS,
		Node: "tutti/" + o.Version, Worker: o.Name, Instance: instance,
		Kind: "transcoder", Credential: transcoderCredential, RegisterLog: "Registering transcoder to",
		MaxTasks: transcoderMaxTasks, MaxMessage: core.MaxSegmentBytes + besides,
		Stores: o.Stores, Log: o.Log, Board: o.Board, Now: o.Now, Rand: o.Chance,
	}, work{c})
	if err != nil {
		return nil, err
	}
	return c, nil
}

func transcoderRandomHex(random io.Reader, size int) (string, error) {
	b := make([]byte, size)
	if _, err := io.ReadFull(random, b); err != nil {
		return "", fmt.Errorf("draw random bytes: %w", err)
	}
	return hex.EncodeToString(b), nil
}

// Name returns the component's name.
func (*TranscoderClient) Name() string { return "remote transcoder" }

// Run works for the orchestrators until ctx ends. Its failures are those of
// worker.Loop.
func (c *TranscoderClient) Run(ctx context.Context, ready func()) error {
	defer c.closeInputs()
	return c.loop.Run(ctx, ready)
}

// Drain deregisters from the orchestrators and finishes the running tasks.
func (c *TranscoderClient) Drain(ctx context.Context) error { return c.loop.Drain(ctx) }

// Status returns the state of every registration.
func (c *TranscoderClient) Status() []Status { return c.loop.Status() }
