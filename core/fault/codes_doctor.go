package fault

// What `tutti doctor` finds about the machine and has no other name for.
const (
	// CheckUnfinished: a check did not come to an end.
	CheckUnfinished Code = "CheckUnfinished"
	// CommandMissing: a file of the program's name is on PATH and cannot be run.
	CommandMissing Code = "CommandMissing"
	// HostMemoryLow: the machine has little memory left.
	HostMemoryLow Code = "HostMemoryLow"
	// HostMemoryMissing: it has too little to work with.
	HostMemoryMissing Code = "HostMemoryMissing"
	// HostDescriptorsLow: a process may have few files open.
	HostDescriptorsLow Code = "HostDescriptorsLow"
	// HostDescriptorsMissing: so few that the node cannot work.
	HostDescriptorsMissing Code = "HostDescriptorsMissing"
	// ServiceUnitMissing: nothing starts the node after a reboot.
	ServiceUnitMissing Code = "ServiceUnitMissing"
	// ServiceUnitFailed: systemd gave the node's unit up.
	ServiceUnitFailed Code = "ServiceUnitFailed"
	// VersionMixed: the program on disk is of another version than the node that runs.
	VersionMixed Code = "VersionMixed"
	// SessionsAboveHardware: -maxSessions promises more than the machine carries.
	SessionsAboveHardware Code = "SessionsAboveHardware"
	// ServiceAddrUnresolved: the host name of the service address does not resolve.
	ServiceAddrUnresolved Code = "ServiceAddrUnresolved"
	// CertificateEnding: the listener's certificate ends soon.
	CertificateEnding Code = "CertificateEnding"
	// CertificateExpired: it has ended.
	CertificateExpired Code = "CertificateExpired"
	// RPCSlow: an endpoint takes long to answer.
	RPCSlow Code = "RPCSlow"
	// RPCSingle: there is one endpoint and nothing to turn to when it fails.
	RPCSingle Code = "RPCSingle"
	// PollingSlow: new blocks are requested so seldom that tickets age.
	PollingSlow Code = "PollingSlow"
	// GasMoneyLow: the account has ETH for a few transactions only.
	GasMoneyLow Code = "GasMoneyLow"
	// PriceMissing: the node works for nothing.
	PriceMissing Code = "PriceMissing"
	// DataDirOpen: others may read the data directory.
	DataDirOpen Code = "DataDirOpen"
	// DataDirWritable: others may write in it.
	DataDirWritable Code = "DataDirWritable"
	// DataDirRemote: it is on a file system of the network.
	DataDirRemote Code = "DataDirRemote"
	// DataDiskLow: its disk is nearly full.
	DataDiskLow Code = "DataDiskLow"
	// DataDiskFull: it is full.
	DataDiskFull Code = "DataDiskFull"
	// SocketStale: the admin socket's file exists and no process listens.
	SocketStale Code = "SocketStale"
	// ClockUnsynchronized: nothing keeps the clock right.
	ClockUnsynchronized Code = "ClockUnsynchronized"
	// ClockWrong: it differs from the chain's.
	ClockWrong Code = "ClockWrong"
	// SecretInArguments: a secret is on the command line, where every user sees it.
	SecretInArguments Code = "SecretInArguments"
	// SecretInEnvironment: a secret is in the environment.
	SecretInEnvironment Code = "SecretInEnvironment"
	// SecretFileOpen: others may read a file with a secret.
	SecretFileOpen Code = "SecretFileOpen"
	// SecretFileWritable: others may write it.
	SecretFileWritable Code = "SecretFileWritable"
	// SecretWeak: a shared secret is short enough to be guessed.
	SecretWeak Code = "SecretWeak"
	// SecretGuessable: so short that it will be.
	SecretGuessable Code = "SecretGuessable"
)

// doctorRows are what `tutti doctor` finds and no other section has. Read-only.
var doctorRows = []Row{
	{
		Code: CheckUnfinished, Class: Internal,
		Symptom: "`tutti doctor` shows a check that did not finish",
		Cause: "What the check looks at did not answer in time, or this user may not see it: a hanging disk or " +
			"driver, a name server that is silent.",
		Remedy: "Run `tutti doctor` as the node's user, and the one check alone with `-only`. If it hangs again, " +
			"so will the node: look at the disk, the driver or the network that the check names.", Retryable: true,
	},
	{
		Code: CommandMissing, Class: Config,
		Symptom: "`Permission denied` from the shell",
		Cause:   "A file of the program's name is in a directory of PATH, and is not executable.",
		Remedy:  "`chmod +x` the file that the check names.",
	},
	{
		Code: HostMemoryLow, Class: Config,
		Cause: "Little of the machine's memory is free, so a burst of work may end with the kernel killing a " +
			"process.",
		Remedy: "End other programs, add memory or swap, or lower `-maxSessions` and `-resultMemory`.",
	},
	{
		Code: HostMemoryMissing, Class: Config,
		Cause: "The machine, or the container's limit, has too little memory for a node: media workers need " +
			"some hundred MB each.",
		Remedy: "Give the machine or the container at least 1 GB.",
	},
	{
		Code: HostDescriptorsLow, Class: Config,
		Symptom: "`too many open files`",
		Cause: "The limit of open files per process is low for many sessions: each connection, file and worker " +
			"takes one.",
		Remedy: "Raise it: `LimitNOFILE=65536` in the unit file, `--ulimit nofile=65536` for a container, " +
			"`ulimit -n 65536` in the shell.",
	},
	{
		Code: HostDescriptorsMissing, Class: Config,
		Symptom: "`too many open files`",
		Cause:   "The limit of open files per process is so low that the node fails at a handful of connections.",
		Remedy: "Raise it: `LimitNOFILE=65536` in the unit file, `--ulimit nofile=65536` for a container, " +
			"`ulimit -n 65536` in the shell.",
	},
	{
		Code: ServiceUnitMissing, Class: Config,
		Symptom: "the node is gone after a reboot",
		Cause: "systemd runs this machine and has no enabled unit that starts tutti, so nothing starts the node " +
			"after a reboot or a crash.",
		Remedy: "`tutti init` writes a unit, and the packages contain one; then `systemctl enable --now tutti`.",
	},
	{
		Code: ServiceUnitFailed, Class: Config,
		Cause: "systemd has given the node's unit up: it ended with an error too often.",
		Remedy: "`systemctl status tutti` and `journalctl -u tutti -e` show why; correct it, then `systemctl " +
			"restart tutti`.",
	},
	{
		Code: VersionMixed, Class: Config,
		Cause: "The program that was asked is of another version than the node that runs: an upgrade has not " +
			"been started yet, or there are two copies.",
		Remedy: "Restart the node, or remove the copy that is not wanted (`type -a tutti`).",
	},
	{
		Code: SessionsAboveHardware, Class: Config,
		Cause: "`-maxSessions` is more than this machine's CPU cores or encoders carry in real time. Gateways " +
			"are promised sessions that come late, and go elsewhere.",
		Remedy: "Lower `-maxSessions`, or start with `-maxSessions auto`; `tutti_bench -walk` finds what the " +
			"machine carries.",
	},
	{
		Code: ServiceAddrUnresolved, Class: Config,
		Symptom: "no gateways connect; `no such host`",
		Cause: "The host name of the service address has no address in the DNS as seen from here, so no gateway " +
			"finds the node.",
		Remedy:    "Make an A or AAAA record for the name, correct `-serviceAddr`, or use the IP address.",
		Retryable: true,
	},
	{
		Code: CertificateEnding, Class: Config,
		Cause:  "The certificate given with `-tlsCert` ends within two weeks.",
		Remedy: "Renew it; the node reads the files again by itself.",
	},
	{
		Code: CertificateExpired, Class: Config,
		Cause: "The certificate given with `-tlsCert` has ended, or is not valid yet. Clients that verify it " +
			"refuse the connection.",
		Remedy: "Renew it, and check the clock; the node reads the files again by itself.",
	},
	{
		Code: RPCSlow, Class: Upstream,
		Symptom: "errors about ticket params that do not go away",
		Cause: "An endpoint of `-ethUrl` takes more than a second to answer. The node sees blocks late, and " +
			"gateways get the answer that their tickets are too old.",
		Remedy: "Use an endpoint nearer to the node or a better plan, or put a faster one next to it, separated " +
			"by a comma.", Retryable: true,
	},
	{
		Code: RPCSingle, Class: Config,
		Cause: "`-ethUrl` names one endpoint. When its provider has a bad hour, the node can neither redeem " +
			"tickets nor call reward.",
		Remedy: "Add one of another provider: `-ethUrl https://one…,https://two…`. The node uses one that works.",
	},
	{
		Code: PollingSlow, Class: Config,
		Symptom: "errors about ticket params that do not go away",
		Cause: "`-blockPollingInterval` is so long that the node learns of new blocks and rounds late, and " +
			"tickets are taken for too old.",
		Remedy: "Leave `-blockPollingInterval` at 5 seconds.",
	},
	{
		Code: GasMoneyLow, Class: Config,
		Cause: "The node's account has ETH for a few more transactions only. Without it there are no reward " +
			"calls and no redeemed tickets.",
		Remedy: "Send ETH to the account, on the network that the node uses.",
	},
	{
		Code: PriceMissing, Class: Config,
		Cause:  "The price of transcoding is 0: the node works for nothing.",
		Remedy: "Give `-pricePerUnit` if it is to earn: some 1000 wei for a pixel is usual.",
	},
	{
		Code: DataDirOpen, Class: Config,
		Cause: "Other users of this machine may look into the data directory, which holds keys, the admin token " +
			"and the node's books.",
		Remedy: "`chmod 700` the directory; `tutti doctor -fix` does it.",
	},
	{
		Code: DataDirWritable, Class: Config,
		Cause: "Other users of this machine may write in the data directory: they could replace the key or the " +
			"books.",
		Remedy: "`chmod 700` the directory; `tutti doctor -fix` does it. Then see that nothing in it was changed.",
	},
	{
		Code: DataDirRemote, Class: Config,
		Symptom: "`database is locked`; the ledger is slow",
		Cause: "The data directory is on a file system of the network (NFS, SMB, FUSE). The database's locks " +
			"and its promises to be on disk do not hold there.",
		Remedy: "Put `-dataDir` on a disk of this machine; for a ledger that several machines share use `-store " +
			"postgres://…`.",
	},
	{
		Code: DataDiskLow, Class: Config,
		Cause: "The disk of the data directory has less than 2 GB or 5 percent left.",
		Remedy: "Free space before it is full: `du -xh --max-depth=1 /` shows what takes it; logs and container " +
			"images are the usual ones.",
	},
	{
		Code: DataDiskFull, Class: Config,
		Symptom: "`no space left on device`, `database or disk is full`",
		Cause: "The disk of the data directory, or of the file that the message names, is full, or its user's " +
			"quota is. Keys, certificates and tickets cannot be kept, and payments are refused.",
		Remedy: "Free space and start the node again: `df -h` shows which disk it is, `du -xh --max-depth=1 /` " +
			"what takes it; logs and container images are the usual ones.",
	},
	{
		Code: SocketStale, Class: Config,
		Cause:  "The file of `-adminSocket` exists and no process listens on it: a node was killed.",
		Remedy: "None needed: the node replaces it at start. `tutti doctor -fix` removes it.",
	},
	{
		Code: ClockUnsynchronized, Class: Config,
		Cause: "The kernel says that nothing keeps its clock right: no time service runs, or it has not reached " +
			"a server. A clock that is off makes tickets and tokens look expired.",
		Remedy: "Start a time service: `timedatectl set-ntp true`, or install chrony; in a container it is the " +
			"host that needs it.",
	},
	{
		Code: ClockWrong, Class: Config,
		Cause: "The machine's clock differs from the time in the chain's newest block by more than half a " +
			"minute. Auth tokens and ticket parameters look expired or not yet valid.",
		Remedy: "Set the clock with a time service (`timedatectl set-ntp true`, or chrony), then restart the node.",
	},
	{
		Code: SecretInArguments, Class: Config,
		Cause: "A secret is on the command line. Every user of the machine sees it in `ps`, and so does " +
			"every reader of the unit file or the shell's history.",
		Remedy: "Write it to a file of mode 0600 and give the file's path in its place; options with a URL go " +
			"into the configuration file (`-config`). Then change the secret.",
	},
	{
		Code: SecretInEnvironment, Class: Config,
		Cause: "A secret is in the environment, where child processes and all users that may inspect the container " +
			"read it.",
		Remedy: "Write it to a file of mode 0600 and give the file's path in its place, or use systemd's " +
			"`LoadCredential`.",
	},
	{
		Code: SecretFileOpen, Class: Config,
		Cause: "Other users of this machine may read a file that holds a secret.",
		Remedy: "`chmod 600` the file; `tutti doctor -fix` does it. If others use the machine, change the secret " +
			"too.",
	},
	{
		Code: SecretFileWritable, Class: Config,
		Cause:  "Other users of this machine may write a file that the node takes secrets or settings from.",
		Remedy: "`chmod 600` the file; `tutti doctor -fix` does it. Then read it: another user may have changed it.",
	},
	{
		Code: SecretWeak, Class: Config,
		Cause: "`-orchSecret` is short. A party that guesses it may register as a worker and get the work and the " +
			"images of your customers.",
		Remedy: "Take 32 random characters: `openssl rand -hex 16`. An orchestrator takes several secrets at " +
			"once, one per line of the file, so that they can be changed without a gap.",
	},
	{
		Code: SecretGuessable, Class: Config,
		Cause: "`-orchSecret` has fewer than 8 characters and can be guessed in no time. A party that does may " +
			"register as a worker and get the work and the images of your customers.",
		Remedy: "Take 32 random characters: `openssl rand -hex 16`. An orchestrator takes several secrets at " +
			"once, one per line of the file, so that they can be changed without a gap.",
	},
}
