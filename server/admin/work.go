package admin

import (
	"context"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/airouting"
)

// Work is the view of the jobs: which arrive, which run, and on what. The dashboard asks for
// every part without a context each second: they must return at once from memory.
type Work struct {
	// Gate reports whether the node takes work.
	Gate func() adminapi.Gate
	// Sessions returns at most so many live sessions, the slowest first.
	Sessions func(most int) adminapi.Sessions
	GPUs     func() []adminapi.GPU
	// ModelStates are the AI models as the dashboard shows them.
	ModelStates func() []adminapi.Model
	// Series are the last minutes in steps of SeriesStep.
	Series     func() []adminapi.Point
	SeriesStep time.Duration
	Refusals   func(most int) []adminapi.Refusal
	// Explain diagnoses why no jobs arrive; nil on a node that takes none.
	Explain func(ctx context.Context) adminapi.Explanation

	// Workers are the node's devices and remote workers; nil without any.
	Workers Workers
	// Models are the AI models; nil on a node without AI.
	Models Models
	// LiveRunners registers live runners; nil on a node that serves none.
	LiveRunners http.HandlerFunc
	// Runners are the live runners; nil on a node that serves none.
	Runners LiveRunners
	// Capabilities are the external ones; nil on a node where none may register.
	Capabilities Capabilities
	// Keys are the API keys of a gateway; nil on other nodes.
	Keys APIKeys
	// AIPools are a gateway's orchestrators for AI, by model; nil on other nodes.
	AIPools func() []airouting.Snapshot
	// ExplainRoute says which orchestrators would get a request; nil on nodes that are no gateway. The error is
	// the fault that the request would get.
	ExplainRoute func(q adminapi.RouteQuestion) (adminapi.RoutePlan, error)
	// NetworkCapabilities answers /getNetworkCapabilities; nil on nodes that are no gateway.
	NetworkCapabilities func(ctx context.Context) any
}

// Workers are the devices and remote workers of a node. Drain keeps new work from one,
// Resume lets it have some again; both answer at once. The error is DeviceUnknown.
type Workers interface {
	Workers() []adminapi.Worker
	Drain(name string) error
	Resume(name string) error
}

// LiveRunners are the live runners of a node. Drain and Resume answer at once; Check asks one runner, or all
// for "", for their health and waits. The error is LiveRunnerUnknown.
type LiveRunners interface {
	Runners() []adminapi.LiveRunner
	Drain(name string) error
	Resume(name string) error
	Check(ctx context.Context, name string) error
}

// Capabilities are the external capabilities of a node. Remove answers at once; work in progress goes on. Its error
// is CapabilityUnknown.
type Capabilities interface {
	Capabilities() []adminapi.Capability
	Remove(name string) error
}

// APIKeys are the API keys of a gateway's clients. Errors are the faults KeyInvalid, KeyNameTaken, KeyNotFound and
// KeyStoreFailed. A change is in force when the call returns.
type APIKeys interface {
	List(ctx context.Context) ([]adminapi.APIKey, error)
	// Create returns the new key's secret, which is nowhere else.
	Create(ctx context.Context, in adminapi.APIKeyNew) (secret string, err error)
	Limit(ctx context.Context, in adminapi.APIKeyChange) error
	// Revoke takes a name or an ID.
	Revoke(ctx context.Context, which string) error
}

// Models are the AI models of a node. The error of SetWarm and Test is AdminBadParam for
// a model that this machine does not have or that cannot be changed or tested; that of
// Test also is why the job failed, and that of Pull why something could not be fetched.
type Models interface {
	Models() []adminapi.ServedModel
	// SetWarm answers at once; the list tells how the loading goes.
	SetWarm(name adminapi.ModelName, warm bool) error
	Test(ctx context.Context, name adminapi.ModelName) (adminapi.ModelTest, error)
	// Pull fetches what the model needs before its first job, or with dry only looks what
	// is there. It reports progress from one goroutine and ends with ctx.
	Pull(ctx context.Context, name adminapi.ModelName, dry bool,
		report func(adminapi.ModelPullProgress)) (adminapi.ModelPull, error)
}
