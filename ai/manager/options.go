package manager

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/tuttinode/tutti/ai/docker"
	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/ai/pictures"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fetchurl"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/inference"
)

// Entry is one line of the models file: a server that exists, or containers to
// start. Entries of one model add up.
type Entry struct {
	Model inference.Model
	// URL is where the runner is reached; "" starts containers.
	URL string
	// Token is sent to URL, "" sends none.
	Token core.Secret
	// ServedModel is the runner's own name of the model, "" when it is Model.ID.
	ServedModel string
	// Warm loads the model at once and keeps it loaded. Servers are not ours to
	// load.
	Warm bool
	// Capacity is the number of containers to start (0 is one); for a server the
	// most jobs to send at once, whatever it says (0 believes it).
	Capacity int
	// AssumedSlots is how many jobs a container takes at once that does not say, 0
	// takes what is usual for its kind.
	AssumedSlots int
	// GPUs is how many GPUs each container gets, 0 is one: more for a model that
	// is spread over several. GPUIDs names the ones that it may get, nil is all.
	GPUs   int
	GPUIDs []string
	// MemoryBytes is what a container needs on each of its GPUs, 0 when unknown;
	// MemoryShare the part of a GPU that its runner takes in any case.
	MemoryBytes int64
	MemoryShare float64
	// Image is the containers' image when the entry names one.
	Image string
	// Env is the containers' environment beside PIPELINE and MODEL_ID.
	Env models.Settings
	// Sandbox is what the containers may do beyond serving the model.
	Sandbox models.Sandbox
	// RequestURLs says which addresses in requests the runner may be given.
	RequestURLs fetchurl.Policy
}

func (e *Entry) external() bool { return e.URL != "" }

// cold reports whether it is loaded for a first job only.
func (e *Entry) cold() bool { return !e.Warm && !e.external() }

// begins is the state of its runners before anything is known of them.
func (e *Entry) begins() inference.State {
	if e.cold() {
		return inference.Absent
	}
	return inference.Starting
}

// need is what one container takes.
func (e *Entry) need() Need {
	return Need{Devices: e.GPUs, Takes: Memory{Bytes: e.MemoryBytes, Share: e.MemoryShare}, IDs: e.GPUIDs}
}

// Device is a GPU.
type Device struct {
	// ID is how the Docker Engine knows it, "0" or "GPU-…".
	ID string
	// MemoryBytes is its memory, 0 when unknown.
	MemoryBytes int64
}

// Options are a manager's parts and settings.
type Options struct {
	Entries []Entry
	// Engine starts containers; it may be nil when every entry has a URL.
	Engine Engine
	// NoContainers is why none can be started, nil when they can. Entries without URL
	// fail with it.
	NoContainers error
	// Backends makes the clients of runners; nil takes Clients.
	Backends Backends
	// Images names the image of an entry without URL; nil takes Images of the
	// built-in ones.
	Images func(e *Entry) (string, error)
	// Ports gives containers their ports on the host; nil takes docker.NewPorts.
	Ports Ports

	// Devices are the GPUs for containers. Without any, containers get none and
	// share what stands for one, "emulated-0".
	Devices []Device
	// Find looks for the GPUs instead, where some were asked for and none was there
	// yet: containers wait until it finds any. It is asked again and again until
	// then. An error beside devices is not the manager's matter.
	Find func(ctx context.Context) ([]Device, error)
	// Reserve is told, once the GPUs are known, how much of each the warm models need
	// together, by its ID: whoever else uses the GPUs must leave it. It must not wait.
	// nil is told nothing.
	Reserve func(device string, bytes int64)
	// ContainersPerGPU is how many containers may share a GPU, 0 is one.
	ContainersPerGPU int
	// ModelsDir is the directory on the engine's host that containers see as
	// /models.
	ModelsDir string

	// Queue is how many jobs of a model may wait for a slot, 0 is 64.
	Queue int
	// IdleTTL is for how long a cold model stays loaded without jobs, 0 until its
	// place is needed.
	IdleTTL time.Duration
	// LoadTimeout is how long a runner may take from its container's start until
	// it is ready, 0 is 10 minutes.
	LoadTimeout time.Duration
	// PullTimeout is how long an image may take to arrive, 0 is 2 hours.
	PullTimeout time.Duration

	// Resolve finds out what names in requests lead to; nil is the system's resolver.
	Resolve fetchurl.Resolver
	// Pictures fetches what requests name as their pictures; nil is pictures.New's.
	Pictures Pictures

	// Board shows lasting trouble per model; nil shows none.
	Board *health.Board
	// Recorder is told of changes; nil ignores them.
	Recorder inference.Recorder
	// Log is where state changes go; nil drops them.
	Log *slog.Logger
	// Now is the clock of what is shown; nil is the system's.
	Now func() time.Time
	// Random gives numbers in [0, 1) to spread retries; nil is the system's.
	Random func() float64
}

func (o Options) withDefaults() Options {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Backends == nil {
		o.Backends = Clients(nil, inference.Limits{}, o.Log)
	}
	if o.Images == nil {
		o.Images = Images(docker.Images{})
	}
	if o.Ports == nil {
		o.Ports = docker.NewPorts(nil)
	}
	if o.ContainersPerGPU <= 0 {
		o.ContainersPerGPU = 1
	}
	if o.Queue <= 0 {
		o.Queue = 64
	}
	if o.LoadTimeout <= 0 {
		o.LoadTimeout = 10 * time.Minute
	}
	if o.PullTimeout <= 0 {
		o.PullTimeout = 2 * time.Hour
	}
	if o.Resolve == nil {
		o.Resolve = lookUp
	}
	if o.Pictures == nil {
		o.Pictures = pictures.New(pictures.Options{})
	}
	if o.Recorder == nil {
		o.Recorder = inference.NopRecorder{}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Random == nil {
		o.Random = rand.Float64
	}
	return o
}
