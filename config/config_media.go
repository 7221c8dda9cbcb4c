package config

import (
	"net/netip"
	"time"

	"github.com/tuttinode/tutti/core"
)

// Addresses are the node's listening addresses and its peers'. The exported
// listen addresses are complete after Load: roles and defaults are applied.
type Addresses struct {
	// Service is the address advertised to gateways.
	Service ServiceAddr
	// OrchestratorListen is the public listener of the orchestrator role.
	OrchestratorListen ListenAddr
	// GatewayListen is the HTTP listener of the gateway role.
	GatewayListen ListenAddr
	// RedeemerListen is the listener of the redeemer role, and of the remote signer.
	RedeemerListen ListenAddr
	// AdminListen is the admin API, on loopback unless asked otherwise.
	AdminListen ListenAddr
	// AdminSocket is a Unix socket that takes its place; "" for none.
	AdminSocket string
	// RTMPListen is the gateway's RTMP ingest.
	RTMPListen ListenAddr
	// Orchestrators are the ones a gateway uses, or the one that a remote worker
	// registers with. Empty with Roles.Gateway and Roles.Orchestrator both set:
	// the gateway uses the orchestrator of its own process.
	Orchestrators []HostPort
	// OrchSecret is shared by an orchestrator and its remote workers: one secret in a
	// line, of which a worker uses the first.
	OrchSecret Secret
	// WorkerName is what a remote worker is called at its orchestrator.
	WorkerName string
	// Nodes are further instances an orchestrator advertises; ExtraNodes is how
	// many of those a gateway asks for.
	Nodes      []URL
	ExtraNodes int
	// StartupCheck lets the orchestrator ping itself through its public address.
	StartupCheck bool
	// PublicIPLookup answers with the public IP address; "none" for no such service.
	PublicIPLookup string
	// GatewayHost is the gateway's external host name.
	GatewayHost string

	httpAddr, gatewayAddr, cliAddr, rtmpAddr addr
}

// Transcoding is what the transcoder role works with.
type Transcoding struct {
	// Devices are GPUs; none means the CPU.
	Devices Devices
	// TestAtStart runs a capability test per device.
	TestAtStart bool
	// HEVCDecoding forces the capability; unset follows the hardware test.
	HEVCDecoding Switch
	// EncoderPreset is an x264 preset name.
	EncoderPreset string
	// WorkerMemory bounds the memory of one media worker.
	WorkerMemory MemoryLimit
}

// Limits bound what the node takes on.
type Limits struct {
	// MaxSessions bounds concurrent sessions.
	MaxSessions Sessions
	// ResultMemory bounds stored renditions that wait for their download.
	ResultMemory ByteSize
	// MaxConnections bounds the public listener's connections, 0 for what the limit of
	// open files allows.
	MaxConnections int
	// PerAddress is how many connections of one address are served at once before it has
	// shown valid credentials, 0 for no bound.
	PerAddress int
	// KnownPeers are networks whose addresses are bounded as if they had shown credentials.
	KnownPeers []netip.Prefix
	// DrainTimeout is how long a first signal waits for work in progress, UpgradeAnswers how long answers of a gateway
	// may go on in the old process of an upgrade.
	DrainTimeout, UpgradeAnswers time.Duration
}

// Gateway is what the gateway role works with.
type Gateway struct {
	// Ladder is the default set of renditions.
	Ladder Ladder
	// MaxAttempts bounds the orchestrators tried for one segment.
	MaxAttempts int
	// CurrentManifest serves a playlist of whichever stream runs.
	CurrentManifest bool
	// LocalVerify and HTTPIngest are complete after Load: where they were not
	// given, the rule for "unset" has been applied.
	LocalVerify bool
	HTTPIngest  bool
	// AuthWebhook admits streams (gateway) or gateways (orchestrator).
	AuthWebhook URL
	// StreamAccess is what streams need, "auto", "open" or "keys"; Hosts are further
	// names that the gateway may be called by.
	StreamAccess string
	Hosts        []string
	// OpenIngest: segments are taken from everywhere, because the operator asked for
	// it on an address that others reach.
	OpenIngest bool
	// Routing is a file of names of models.
	Routing string
	// Cache keeps answers of language models.
	Cache AnswerCache
	// AIGuards is a file of guards for AI requests.
	AIGuards string
	// ModerationModel is the language model that rates texts.
	ModerationModel string
	// APIKeys is a file of keys for AI requests and streams.
	APIKeys string
	// DiscoveryTimeout bounds one round of discovery.
	DiscoveryTimeout time.Duration
	// Publish is about streams by RTMP and SRT.
	Publish Publish

	MetadataQueue          URL
	MetadataExchange       string
	MetadataPublishTimeout time.Duration

	localVerify, httpIngest Switch
}

// Selection filters and weighs orchestrators for a gateway.
type Selection struct {
	// Webhook lists orchestrators; PerfStats scores them.
	Webhook, PerfStats URL
	Blocklist          []core.Address
	MinVersion         string
	Region             string
	MinPerfScore       float64
	// The weights of random choice, stake and price add up to 1.
	RandFreq, StakeWeight, PriceWeight float64
	PriceExpFactor                     float64
}
