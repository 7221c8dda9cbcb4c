package manager

import (
	"context"

	"github.com/tuttinode/tutti/core/inference"
)

// Engine is what the manager asks of the Docker Engine. Every call honours ctx;
// errors are faults, recognised from what the engine says. It is safe for
// concurrent use.
type Engine interface {
	// Reconcile removes the containers that an earlier run of this node left.
	Reconcile(ctx context.Context) error
	// EnsureImage returns once the image is there; calls for the same image share
	// one pull. progress is told how far it is, "42 % of 6.1 GB".
	EnsureImage(ctx context.Context, image string, progress func(text string)) error
	// Create makes a container and returns its id. A name or port that is taken
	// is an error that a later try with another may not meet.
	Create(ctx context.Context, c *Container) (id string, err error)
	Start(ctx context.Context, id string) error
	// Examine tells how a container is.
	Examine(ctx context.Context, id string) (Exam, error)
	// Remove stops a container, after a grace of 8 seconds by force, and removes
	// it. One that is gone is no error.
	Remove(ctx context.Context, id string) error
	// Events calls ended with the id of each container that ends, until ctx ends
	// or the stream breaks. connected is called once when the stream stands: what
	// ended before may have been missed.
	Events(ctx context.Context, connected func(), ended func(id string)) error
}

// Container is what a runner's container is made of.
type Container struct {
	Name  string
	Image string
	Env   []string
	// HostPort is the port on 127.0.0.1 that leads to the runner's.
	HostPort int
	// Devices are the ids of its GPUs; none asks for no device.
	Devices []string
	// ModelsDir is mounted as /models.
	ModelsDir string
	// Pipeline and Model are what it serves, for labels.
	Pipeline, Model string
}

// Exam is how a container is.
type Exam struct {
	Running bool
	// Why is the reason for which it is not running, a fault; nil while it runs.
	Why error
	// Lines are the last lines it printed, oldest first.
	Lines []string
}

// Target is a runner to talk to.
type Target struct {
	URL string
	// Token gives the bearer token, nil sends none.
	Token func() string
	Model inference.Model
	// Served is the runner's own name of the model, "" when it is Model.ID.
	Served string
	// Managed says that it runs in a container of ours.
	Managed bool
}

// Backend is the client of one runner. It is safe for concurrent use.
//
// Probe asks how the runner is; Run sends a job. Errors are faults.
type Backend interface {
	Probe(ctx context.Context) (Info, error)
	Run(ctx context.Context, job *inference.Job) (*inference.Reply, error)
	Close()
}

// Health is what a runner says of itself.
type Health string

// The healths of a runner.
const (
	Loading Health = "LOADING"
	OK      Health = "OK"
	Error   Health = "ERROR"
	Idle    Health = "IDLE"
)

// Info is a runner's answer to a probe.
type Info struct {
	Health Health
	// Models are the models that it lists; nil when it lists none.
	Models []string
	// Version is the runner's own, "" when unknown.
	Version string
	// Slots is how many jobs it takes at once, 0 when it does not say.
	Slots int
	// Context is the longest prompt and answer together, 0 when unknown.
	Context inference.Tokens
	// Operations are what it can do, for llm; nil means chat only.
	Operations []inference.Operation
	// Detail is what it says about its health, public text, "" when nothing.
	Detail string
}

// Ports gives out ports of the host. It is safe for concurrent use.
type Ports interface {
	// Take reserves a port for a pipeline's container on a device slot.
	Take(pipeline, slot string) (int, error)
	// Give ends the reservation.
	Give(port int)
}
