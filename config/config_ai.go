package config

import (
	"time"

	"github.com/tuttinode/tutti/core"
)

// AI is what the AI role of an orchestrator or worker works with.
type AI struct {
	// Models is a path of aiModels.json, or the inline list form.
	Models string
	// VerifiedModels is a file of model IDs that count as verified besides the
	// shipped ones; AllowUnverified takes any.
	VerifiedModels  string
	AllowUnverified bool
	// KeepAlive is how long a cold model stays loaded without jobs; 0 is forever.
	KeepAlive time.Duration
	// Queue is how many jobs may wait for a slot of one model.
	Queue int
	// BodyLimit bounds the body of a request without a file.
	BodyLimit ByteSize
	// PromptRatio is how many tokens of a prompt each paid token may bring; 0 is no bound.
	PromptRatio int
	// ModelsDir holds weights; "" means models/ in the data directory.
	ModelsDir string
	// ServiceRegistry uses the AI contract on the chain.
	ServiceRegistry bool
	// RunnerImage is the default image; RunnerImageOverrides goes before it.
	RunnerImage          string
	RunnerImageOverrides Document
	MinRunnerVersion     Document
	VerboseLogs          bool
	ContainersPerGPU     int
	// KeepContainers leaves the containers of warm models running when the node stops.
	KeepContainers bool
	Serverless     Serverless
	// RetryTimeout is a gateway's window for retrying a request.
	RetryTimeout time.Duration
	// HedgeShare is the share of streams for which a gateway may ask a second orchestrator, HedgePaid whether it
	// may pay for both.
	HedgeShare float64
	HedgePaid  bool
	// FirstByteTimeout, SilenceTimeout and AnswerTimeout are how long orchestrators, workers and
	// runners may take with an answer; see inference.Limits.
	FirstByteTimeout, SilenceTimeout, AnswerTimeout time.Duration
	// PrivateURLs lets a gateway pass requests on that name private addresses.
	PrivateURLs bool
}

// Serverless is how a live model is used whose runner is a WebSocket server elsewhere.
type Serverless struct {
	// On offers exactly one such model.
	On             bool
	Timeout, Grace time.Duration
	// Prefix is what an address begins with that a client may choose.
	Prefix URL
	Key    Secret
}

// Batches are the files and batches of a gateway's API keys.
type Batches struct {
	// Storage bounds what all keys keep, 0 for no batches; KeyStorage what one keeps, File a file that is uploaded.
	Storage, KeyStorage, File ByteSize
	// Concurrency is how many of their requests are in progress at once.
	Concurrency int
	// MaxPrice is the most that one may cost per Prices.PixelsPerUnit units; unset and 0 are no bound.
	MaxPrice core.Price
}

// AnswerCache says which answers of language models a gateway keeps for requests that come again.
type AnswerCache struct {
	// Age is how long, 0 for not at all; Keys are the names of the keys.
	Age    time.Duration
	Keys   []string
	Memory ByteSize
}

// LiveAI is what live AI on an orchestrator or worker works with.
type LiveAI struct {
	UseRunners        bool
	RunnerConfig      string
	RunnerProxy       string
	RunnerAddr        string
	RunnerIdle        time.Duration
	TrickleHost       string
	SampleSessions    int
	PaymentInterval   time.Duration
	SaveSegments      int
	OutSegmentTimeout time.Duration
	CapReportInterval time.Duration
}

// Runners reports whether the node serves live runners.
func (l *LiveAI) Runners() bool { return l.UseRunners || l.RunnerConfig != "" }

// LiveGateway is what live AI on a gateway works with.
type LiveGateway struct {
	mediaAddr addr
	// Media is the UDP address of live video, with port 0 where there is none.
	Media ListenAddr
	// PublicIP is given to clients in place of the machine's addresses, PlaybackURL in place of the request's.
	PublicIP, PlaybackURL string
	AllowCORS             bool
	MinSegment, Gather    time.Duration
	Viewers               int
	// SaveFirst is how many segments of each live video are kept, 0 unless the operator asked for it.
	SaveFirst         int
	MediaMTXPassword  Secret
	AuthWebhook       URL
	AuthKey           Secret
	Heartbeat         URL
	HeartbeatHeaders  Secret
	HeartbeatInterval time.Duration
}
