package doctor

import "time"

// World is what checks examine. Setup is the configuration; the probes run when a check
// needs them.
type World struct {
	Setup Setup
	Now   func() time.Time

	Running Probe[Running]
	Machine Probe[Machine]
	GPUs    Probe[GPUs]
	Media   Probe[Media]
	Ports   Probe[[]Port]
	Address Probe[Address]
	Cert    Probe[Certificate]
	Peers   Probe[[]Peer]
	Chain   Probe[ChainState]
	Account Probe[Account]
	Prices  Probe[Prices]
	Models  Probe[Models]
	Live    Probe[[]LiveRunner]
	Docker  Probe[Docker]
	Storage Probe[Disk]
	Clock   Probe[Clock]
	Secrets Probe[[]SecretLocation]
}

// Setup is the node's configuration.
type Setup struct {
	// Problems are its mistakes; with any, the rest may be incomplete.
	Problems []Finding
	// Notices are what an operator should know of options that were accepted.
	Notices []string
	// Roles are words: orchestrator, transcoder, aiWorker, gateway, redeemer.
	Roles Roles
	// Network is the chain's name; OffChain nodes have none.
	Network  string
	OffChain bool
	// Serves: gateways may come to this node.
	Serves bool
	// GPUs is the text of -gpu, "" for the CPU.
	GPUs string
	// MaxSessions is 0 where the node measures.
	MaxSessions int
	// Reward is "on", "off" or "auto".
	Reward string
	Addresses
	// Endpoints is how many -ethUrl names, Polling how often they are asked.
	Endpoints int
	Polling   time.Duration
	// MaxPrice is a gateway's maximum price for video, "" for any price, also if it accepts
	// more expensive orchestrators when there is no other. PayLimits are its other limits on
	// payments.
	MaxPrice, PayLimits string
	// Redeemer is the -redeemerAddr of an orchestrator, "" for none. RedeemerOpen: it is on
	// another machine, and any certificate is accepted from it.
	Redeemer     string
	RedeemerOpen bool
	// Models is whether -aiModels was given.
	Models bool
	// LiveRunners is whether -liveRunnerConfig was given.
	LiveRunners bool
	// LogDir is where log files go, "" for none.
	LogDir string
	// WorkerSecret is the length of the shortest -orchSecret, 0 for none.
	WorkerSecret int
}

// Addresses are where a node is reached.
type Addresses struct {
	// ServiceAddr is the text of -serviceAddr, Private that only this network reaches
	// it; Host its host, "" where none was chosen.
	ServiceAddr, Host string
	Private           bool
	// AdminOpen: other machines can reach the admin API's listener at AdminAddr.
	AdminOpen bool
	AdminAddr string
}

// Roles are the node's roles.
type Roles struct{ Orchestrator, Transcoder, AIWorker, Gateway, Redeemer bool }

// Worker reports whether the process works for an orchestrator elsewhere.
func (r Roles) Worker() bool { return (r.Transcoder || r.AIWorker) && !r.Orchestrator }

// Running is what a running node reports.
type Running struct {
	// Up: a node answers at the admin address. Unreachable is why none does, "" if nothing
	// listens there.
	Up          bool
	Unreachable string
	// Version is the running program's, Mine this one's.
	Version, Mine string
	Conditions    []Finding
	// Sessions are those of all its workers, Limit their maximum; 0 unknown.
	Sessions, Limit int
	Workers         []string
	// Reward is the state of this round's reward.
	Reward string
}

// Machine is the computer.
type Machine struct {
	// OnPath is where PATH has tutti, "" nowhere; NotExecutable are files of that name on
	// PATH that cannot be executed.
	OnPath        string
	NotExecutable []string
	// Memory is the memory available to this process, Free what is unused, in bytes.
	Memory, Free int64
	// Files is how many files a process may have open.
	Files      uint64
	Processors int
	// Systemd: it runs the machine. Unit is the unit that starts tutti, "" for none, and
	// UnitState its state: enabled, disabled, failed.
	Systemd         bool
	Container       bool
	Unit, UnitState string
	// LogDir is why log files cannot be written, nil when they can.
	LogDir error
}

// GPUs are those of the machine that the node was given.
type GPUs struct {
	Driver   string
	Devices  []Card
	Findings []Finding
}

// GPU is one GPU.
type Card struct {
	Name, ID string
	Encodes  bool
	// Memory and Foreign are the total and what other processes use, in bytes.
	Memory, Foreign int64
	Throttled       string
	Temperature     int
	Uncorrected     int64
}

// LiveRunner is an entry of -liveRunnerConfig.
type LiveRunner struct {
	Label string
	// Managed: the node starts it. Program is why it cannot, nil when it can.
	Managed bool
	Program error
	// Health is why it is not healthy; nil where it is, and for a managed one that does not run yet.
	Health error
}

// Media is the result of a media worker's test.
type Media struct {
	// Device is the tested device, Took the time for a test clip.
	Device string
	Took   time.Duration
	// Findings are the faults of restrictions that its sandbox lacks.
	Findings []Finding
}

// Port is an address that the node listens on.
type Port struct {
	// Purpose is "public", "admin", "gateway", "rtmp", "redeemer" or "remote signer".
	Purpose, Address string
	// Taken is the process that holds it, "" if it is free; Ours: the running node holds it.
	Taken string
	Ours  bool
	// Socket: the service manager holds it open for the node.
	Socket bool
	// Denied is why it cannot be opened although it is free.
	Denied string
}

// Address is what is known of the service address.
type Address struct {
	Advertised, OnChain, Discovered string
	// Reached: this node answered there.
	Reached  bool
	Resolved []string
	Findings []Finding
}

// Certificate is the public listener's.
type Certificate struct {
	// Own: it is from the operator's files; a generated one renews itself.
	Own      bool
	From, To time.Time
	Findings []Finding
}

// Peer is another node that this one needs.
type Peer struct {
	Address string
	// Err is why it does not answer.
	Err error
}

// ChainState is the chain's state as the endpoints report it.
type ChainState struct {
	Endpoints []Endpoint
	Findings  []Finding
	// Known: the protocol's state was read. The rest is of the newest block.
	Known       bool
	ChainID     uint64
	Block       uint64
	BlockTime   time.Time
	Round       uint64
	Initialized bool
	Contracts   int
	// Registered and Active are the orchestrator's; URI is in the registry.
	Orchestrator       string
	Registered, Active bool
	URI                string
	Stake              string
	// MayReward: the account may call reward for the orchestrator.
	MayReward bool
	Account   string
	// Ether is the account's balance, in ETH; GasLeft how many transactions it pays.
	Ether   string
	GasLeft uint64
}

// Endpoint is one of -ethUrl, by host alone.
type Endpoint struct {
	Name, State string
	Latency     time.Duration
	Lag         uint64
}

// Account is the key.
type Account struct {
	Address, File string
	// Opened: the passphrase was tested and is correct.
	Opened   bool
	Findings []Finding
	// Repair removes other users' access to the key file.
	Repair *Repair
}

// Prices are the node's prices.
type Prices struct {
	// Text is the price of transcoding, Free that it is 0, Missing that none is set.
	Text     string
	Free     bool
	Models   int
	Quotes   int
	Currency string
	Feed     string
	Findings []Finding
}

// Models are what -aiModels names.
type Models struct {
	Entries, Refused, Warm int
	// Managed: some need containers. Verified counts those of the list.
	Managed  bool
	Findings []Finding
	// Servers are those that the operator runs, behind a url.
	Servers []Peer
	// Images are the containers' and whether the machine has them.
	Images []Image
	// Ports are host ports of containers that something else holds.
	Ports []Port
	// Dir is the directory of weights, Free its free space in bytes.
	Dir  string
	Free int64
}

// Image is a runner's.
type Image struct {
	Name    string
	Present bool
	// Finding is what is wrong with its tag.
	Finding *Finding
}

// Docker is the engine of containers.
type Docker struct {
	Version string
	// GPUs: it has a runtime or devices that give containers access to GPUs.
	GPUs     bool
	Findings []Finding
}

// Disk is where the node keeps its state.
type Disk struct {
	Dir string
	// Exists and Writable describe the directory, Err is why not; Mode is its permissions, 0
	// if the system has none.
	Exists, Writable bool
	Mode             uint32
	Err              error
	// Free and Size, in bytes, Kind the file system.
	Free, Size int64
	Kind       string
	Remote     bool
	// Database is its state, Holder the process with the directory's lock.
	Database                              string
	Holder                                string
	StaleSocket                           string
	Findings                              []Finding
	CreateDir, RestrictMode, RemoveSocket *Repair
}

// Clock is the machine's.
type Clock struct {
	// Known: the kernel reports Synchronized and Off, the possible error.
	Known, Synchronized bool
	Off                 time.Duration
}

// SecretPlace is where a secret was given.
type SecretLocation struct {
	// Option is its name; Where "argument", "environment" or a file's path.
	Option, Where string
	File          bool
	// Mode is the file's, 0 if the system has none. Group: root owns the file, and another
	// group, usually the node's, can read it.
	Mode   uint32
	Group  bool
	Repair *Repair
}
