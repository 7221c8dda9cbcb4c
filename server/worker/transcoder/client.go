package transcoder

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/server/worker"
)

// credential is the protocol's marker of results.
const credential = "Livepeer-Transcoder-1.0"

const (
	// maxTasks is many more than a machine has sessions.
	maxTasks = 1024
	// besides is what a notice has beside its segment, at most.
	besides = 1 << 20
)

// Client is a lifecycle.Component that drains. It is safe for concurrent use.
type Client struct {
	o        Options
	loop     *worker.Loop[rpc.NotifySegment]
	inputs   *http.Transport
	sessions sessions
	room     room

	mu sync.Mutex // covers the fields below
	// told is the capacity that was offered last.
	told int
}

// New makes a Client; nothing happens until Run.
func New(o Options) (*Client, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	instance, err := randomHex(o.Random, 16)
	if err != nil {
		return nil, err
	}
	c := &Client{o: o, inputs: inputTransport(), room: room{most: o.MaxInput}}
	c.loop, err = worker.New(worker.Options{
		Orchestrators: o.Orchestrators, Secret: o.Secret, TLS: o.TLS,
		Node: "tutti/" + o.Version, Worker: o.Name, Instance: instance,
		Credential: credential, Landmark: "Registering transcoder to",
		MaxTasks: maxTasks, MaxMessage: core.MaxSegmentBytes + besides,
		Log: o.Log, Board: o.Board, Now: o.Now, Rand: o.Chance,
	}, work{c})
	if err != nil {
		return nil, err
	}
	return c, nil
}

func randomHex(random io.Reader, size int) (string, error) {
	b := make([]byte, size)
	if _, err := io.ReadFull(random, b); err != nil {
		return "", fmt.Errorf("draw random bytes: %w", err)
	}
	return hex.EncodeToString(b), nil
}

// Name is the component's name.
func (*Client) Name() string { return "remote transcoder" }

// Run works for the orchestrators until ctx ends. Its failures are those of
// worker.Loop.
func (c *Client) Run(ctx context.Context, ready func()) error {
	defer c.inputs.CloseIdleConnections()
	return c.loop.Run(ctx, ready)
}

// Drain takes leave of the orchestrators and finishes what runs.
func (c *Client) Drain(ctx context.Context) error { return c.loop.Drain(ctx) }

// Status is the state of every registration.
func (c *Client) Status() []worker.Status { return c.loop.Status() }

// work is what the loop sees of the client.
type work struct{ *Client }

// Offer is capacity and capabilities, nil without either.
func (w work) Offer() []byte {
	r := w.request()
	if r.Capacity <= 0 || len(r.Capabilities.GetBitstring()) == 0 {
		return nil
	}
	for _, d := range r.Devices {
		d.Sessions = 0 // it changes all the time
	}
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(r)
	if err != nil {
		return nil // what we say of ourselves is no text
	}
	return b
}

// Register asks an orchestrator for work.
func (w work) Register(ctx context.Context, conn grpc.ClientConnInterface, as worker.Registration) (grpc.ServerStreamingClient[rpc.NotifySegment], error) {
	r := w.request()
	// A worker without capacity is sent away for good, also one that takes leave.
	r.Capacity = max(1, r.Capacity)
	r.Secret, r.Node, r.Worker, r.Instance, r.Draining = as.Secret, as.Node, as.Worker, as.Instance, as.Draining
	return rpc.NewTranscoderClient(conn).RegisterTranscoder(ctx, r)
}

func (c *Client) request() *rpc.RegisterRequest {
	r := &rpc.RegisterRequest{Capacity: int64(c.capacity()), Capabilities: rpc.FromCapabilities(c.o.Capabilities())}
	if c.o.Devices != nil {
		for _, d := range c.o.Devices() {
			r.Devices = append(r.Devices, &rpc.WorkerDevice{Device: d.Name, Kind: d.Kind, Sessions: int32(d.Sessions), Limit: int32(d.Limit)})
		}
	}
	return r
}

// capacity is what is offered. An estimate goes up and down all the time; a tenth more
// or less is not worth a new registration.
func (c *Client) capacity() int {
	now := c.o.Capacity()
	c.mu.Lock()
	defer c.mu.Unlock()
	if now <= 0 || c.told == 0 || 10*max(now-c.told, c.told-now) > c.told {
		c.told = max(0, now)
	}
	return c.told
}
