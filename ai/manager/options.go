package manager

import (
	"cmp"
	"context"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/tuttinode/tutti/ai/backend"
	"github.com/tuttinode/tutti/ai/docker"
	"github.com/tuttinode/tutti/ai/gpuplacement"
	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fetchurl"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/inference"
)

// Entry is one entry of the models file: a running server, or containers to start.
// Entries of one model add up.
type Entry struct {
	Model inference.Model
	// URL is where the runner is reached; "" starts containers.
	URL string
	// Token is sent to URL, "" sends none.
	Token core.Secret
	// CA holds the certificates, as PEM, that its server's must be signed by; "" is the system's.
	CA string
	// ServedModel is the runner's name for the model; "" is Model.ID.
	ServedModel string
	// Shared: other models are at the same URL, so that a lack of ServedModel cannot be guessed.
	Shared bool
	// Warm loads the model at once and keeps it loaded. It has no effect on servers.
	Warm bool
	// Capacity is the number of containers to start, 0 is one. For a server it limits
	// the jobs in progress; 0 takes the number that the server reports.
	Capacity int
	// AssumedSlots is the number of slots of a container that reports none; 0 takes the
	// default of its kind.
	AssumedSlots int
	// AssumedContext is the context of a container that reports none, 0 where it is unknown. Stated is what the operator
	// says of the model, which comes before what a server reports.
	AssumedContext inference.Tokens
	Stated         inference.Abilities
	// GPUs is how many GPUs each container gets, 0 is one. GPUIDs restricts it to these
	// GPUs, nil allows all.
	GPUs   int
	GPUIDs []string
	// MemoryBytes is what a container needs on each of its GPUs, 0 when unknown;
	// MemoryShare is the part of a GPU that its runner always allocates.
	MemoryBytes int64
	MemoryShare float64
	// Image is the containers' image when the entry names one.
	Image string
	// Env is the containers' environment besides PIPELINE and MODEL_ID.
	Env models.Settings
	// Sandbox is what the containers may do beyond serving the model.
	Sandbox models.Sandbox
	// RequestURLs says which addresses in requests the runner may be given.
	RequestURLs fetchurl.Policy
}

func (e *Entry) external() bool { return e.URL != "" }

// complete corrects what a runner reports by what its entry says.
func (e *Entry) complete(info *backend.Info) {
	info.Features = e.Stated.Features.Or(info.Features)
	info.Context = cmp.Or(e.Stated.Context, info.Context, e.AssumedContext)
}

// cold reports whether it is loaded on demand.
func (e *Entry) cold() bool { return !e.Warm && !e.external() }

// initialState returns the state of its runners before the first report.
func (e *Entry) initialState() inference.State {
	if e.cold() {
		return inference.Absent
	}
	return inference.Starting
}

// need returns what one container needs.
func (e *Entry) need() gpuplacement.Need {
	return gpuplacement.Need{Devices: e.GPUs, IDs: e.GPUIDs,
		Takes: gpuplacement.Memory{Bytes: e.MemoryBytes, Share: e.MemoryShare}}
}

// Device is a GPU.
type Device = gpuplacement.Device

// Options are a manager's parts and settings.
type Options struct {
	Entries []Entry
	// Engine starts containers; it may be nil when every entry has a URL.
	Engine Engine
	// NoContainers is why none can be started, nil when they can. Entries without URL
	// fail with it.
	NoContainers error
	// Adopt: the engine knows containers of an earlier run of this node. Those of warm models are
	// adopted, and stay when the process hands over to another one.
	Adopt bool
	// KeepContainers has them stay whenever the node stops.
	KeepContainers bool
	// Orphans: an earlier run had containers, which are removed also if no entry wants any now.
	Orphans bool
	// Backends makes the clients of runners; nil takes Clients.
	Backends Backends
	// Images names the image of an entry without URL; nil takes Images of the
	// built-in ones.
	Images func(e *Entry) (string, error)
	// Ports gives containers their ports on the host; nil takes docker.NewPorts.
	Ports Ports

	// Devices are the GPUs for containers. Without any, containers get no GPU and share
	// one emulated device, "emulated-0".
	Devices []Device
	// Find detects the GPUs when some were configured and none was present at the start.
	// Containers wait until it returns any; it is retried until then. An error with
	// devices is ignored.
	Find func(ctx context.Context) ([]Device, error)
	// Reserve is called for each GPU, once the GPUs are known, with the memory that the
	// warm models need on it: other users of the GPU must leave it free. It must not
	// block; nil ignores it.
	Reserve func(device string, bytes int64)
	// ContainersPerGPU is how many containers may share a GPU, 0 is one.
	ContainersPerGPU int
	// ModelsDir is the directory on the engine's host that containers see as
	// /models.
	ModelsDir string

	// Queue is how many jobs of a model may wait for a slot, 0 is 64.
	Queue int
	// IdleTTL is how long a cold model stays loaded without jobs; 0 keeps it until its
	// GPU is needed.
	IdleTTL time.Duration
	// LoadTimeout bounds the time from a container's start until its runner is ready,
	// 0 is 10 minutes.
	LoadTimeout time.Duration
	// PullTimeout bounds the pull of an image, 0 is 2 hours.
	PullTimeout time.Duration

	// Resolve looks up host names of requests; nil is the system's resolver.
	Resolve fetchurl.Resolver
	// ImageFetcher fetches the images that requests name by URL; nil is NewPictureFetcher's.
	ImageFetcher ImageFetcher

	// Board shows lasting problems per model; nil shows none.
	Board *health.Board
	// Recorder is notified of changes; nil ignores them.
	Recorder inference.Recorder
	// Log is where state changes go; nil drops them.
	Log *slog.Logger
	// Now is the clock for displayed times; nil is the system's.
	Now func() time.Time
	// Random gives numbers in [0, 1) to spread retries; nil is the system's.
	Random func() float64
}

func (o Options) withDefaults() Options {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Backends == nil {
		o.Backends = Clients(nil, trusting, inference.Limits{}, o.Log)
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
	if o.ImageFetcher == nil {
		o.ImageFetcher = NewPictureFetcher(PictureOptions{})
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
