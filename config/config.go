package config

import (
	"net/netip"
	"time"
)

// Config is the node's configuration, grouped by the part of the node that
// takes it. It is made by Load and read-only afterwards; options that were not
// given hold their defaults.
type Config struct {
	Process     Process
	Roles       Roles
	Addresses   Addresses
	Transcoding Transcoding
	Gateway     Gateway
	Selection   Selection
	AI          AI
	Batches     Batches
	LiveAI      LiveAI
	LiveGateway LiveGateway
	Chain       Chain
	Gas         Gas
	Tickets     Tickets
	Prices      Prices
	Signer      RemoteSigner
	Monitoring  Monitoring
	Storage     Storage
	TLS         TLS
	Logging     Logging
	Limits      Limits

	obsolete obsolete
	settings []Setting
}

// Process is what the command line asks for instead of running a node.
type Process struct {
	Version bool
	Help    bool
	// ShowFlags asks for the option table as JSON (see WriteJSON).
	ShowFlags bool
	// File is the configuration file that was read, "" for none.
	File string
}

// Informational reports whether the program prints something and exits 0
// instead of running a node.
func (p Process) Informational() bool { return p.Version || p.Help || p.ShowFlags }

// Roles are the parts this process plays.
type Roles struct {
	Orchestrator bool
	Transcoder   bool
	AIWorker     bool
	Gateway      bool
	Redeemer     bool
	RemoteSigner bool
	// Router answers for several orchestrators of one operator.
	Router bool
	// Reward is unset to follow the account's registration on the chain.
	Reward          Switch
	InitializeRound bool
}

// TLS is the public listener's key pair; both empty for the kept self-signed one.
type TLS struct {
	// Cert and Key are paths of PEM files.
	Cert, Key string
	// WorkerCA are the authorities that remote workers' certificates must come from;
	// "" asks workers for none. OrchCA are those that a worker trusts with its
	// orchestrator's; "" trusts any. WorkerCert and WorkerKey are what a worker shows.
	// RedeemerCA are those that an orchestrator trusts with its redeemer's; "" trusts any.
	// All are paths of PEM files.
	WorkerCA, OrchCA, WorkerCert, WorkerKey, RedeemerCA string
}

// Logging is handed to the log sink.
type Logging struct {
	// Verbosity is 0 to 10: 3 normal, 4 short, 5 debug, 6 verbose.
	Verbosity int
	// VModule raises the verbosity of single source files: "pattern=N,...".
	VModule string
	// Dir is where log files go, "" for none.
	Dir string
	// Format is "text" for the existing node's lines or "json".
	Format string
	// ToStderr sends logs to standard error and not to files; AlsoToStderr to both.
	ToStderr, AlsoToStderr bool
}

// Monitoring is metrics, profiles, alerts and access to the admin API.
type Monitoring struct {
	// Enabled serves /metrics on the admin port.
	Enabled bool
	// PerStream adds labels for the stream and the sender; ClientIP adds the
	// client's address and implies PerStream.
	PerStream, ClientIP bool
	// Profiling serves Go's profiles on the admin port.
	Profiling bool
	// AdminToken is what changes through the admin API need; empty for the data
	// directory's own.
	AdminToken Secret
	// AlertSinks get alerts of lasting conditions: one address per line or separated by
	// commas. They hold tokens, so the text is a secret.
	AlertSinks Secret
	// AlertAfter is how long a condition must last before an alert is sent.
	AlertAfter time.Duration

	KafkaServers  []string
	KafkaUser     string
	KafkaPassword Secret
	KafkaTopic    string

	Traces Traces
}

// Traces is what spans are recorded, and where they go.
type Traces struct {
	// Endpoint is the OTLP collector's address; zero records nothing.
	Endpoint URL
	// Ratio is the share of traces that this node records of its own accord.
	Ratio float64
	// Trust is whose decision to record counts instead: accounts of gateways, "keys" or "all".
	Trust []TraceTrust
}

// Storage is where the node keeps and puts things.
type Storage struct {
	// DataDir is the state directory, absolute or relative to the working
	// directory; never empty after Load.
	DataDir string
	// OldDataDir is the data directory of an existing node that was given in place of
	// ours, "" for none. It is only read.
	OldDataDir string
	// Store is the database of the ledger when several orchestrators share it, a
	// postgres:// URL with credentials; empty for tutti.db in DataDir.
	Store Secret
	// MoveFrom is the data directory of the existing node that state is taken over
	// from: a path, "none", or "auto" for where that node keeps it.
	MoveFrom string
	// ObjectStore and RecordStore are URLs with credentials.
	ObjectStore, RecordStore URL
	// ObjectStoreNetworks are private networks in which other nodes' segments and renditions
	// may be fetched.
	ObjectStoreNetworks []netip.Prefix
}
