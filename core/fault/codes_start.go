package fault

// Start and reachability.
const (
	// CommandNotFound is the shell's own error; it is here so that the documents
	// list it.
	CommandNotFound Code = "CommandNotFound"
	// NoDevices: GPUs are configured and none can be used.
	NoDevices Code = "NoDevices"
	// CUDALibrary: the driver's libraries are missing or do not fit.
	CUDALibrary Code = "CUDALibrary"
	// ServiceAddrMismatch: the advertised address is not the one seen from outside.
	ServiceAddrMismatch Code = "ServiceAddrMismatch"
	// ServiceAddrPrivate: the advertised address cannot be reached from outside.
	ServiceAddrPrivate Code = "ServiceAddrPrivate"
	// PortClosed: nothing outside can reach the service port.
	PortClosed Code = "PortClosed"
	// ListenFailed: a listening address cannot be opened.
	ListenFailed Code = "ListenFailed"
	// ComponentFailed: a part of the node ended without a stop.
	ComponentFailed Code = "ComponentFailed"
	// StartFailed: a part of the node ended before it was ready.
	StartFailed Code = "StartFailed"
	// StopTimeout: a part of the node did not end within its grace period.
	StopTimeout Code = "StopTimeout"
	// LogDirUnusable: the log directory cannot be written.
	LogDirUnusable Code = "LogDirUnusable"
	// LogLost: log lines cannot be written and are dropped.
	LogLost Code = "LogLost"
	// DataDirUnusable: the data directory cannot be made or written.
	DataDirUnusable Code = "DataDirUnusable"
	// DatabaseDamaged: tutti.db is no database any more, or a part of it is lost.
	DatabaseDamaged Code = "DatabaseDamaged"
	// SecretFileDamaged: a file of the data directory does not hold the secret that it should.
	SecretFileDamaged Code = "SecretFileDamaged"
)

// startRows are the conditions between typing the command and serving. Read-only.
var startRows = []Row{
	{
		Code: CommandNotFound, Class: Config,
		Symptom: "`command not found` from the shell",
		Cause:   "The program is not in a directory of PATH, or is not executable.",
		Remedy: "Make it executable (`chmod +x tutti`) and move it to a directory of PATH, for example " +
			"/usr/local/bin.",
	},
	{
		Code: ServiceAddrMismatch, Class: Config,
		Symptom: "`did not match discovered address`",
		Cause: "The registered service address differs from the public address that this machine is seen with. " +
			"The node may start, but gateways that cannot reach the registered address send no work.",
		Remedy: "Set the service address with tutti_cli (costs gas), or start with `-serviceAddr host:8935`.",
	},
	{
		Code: ServiceAddrPrivate, Class: Config,
		Symptom: "`is a not a public address or hostname`",
		Cause:   "The service address is a private or loopback address, which gateways on the internet cannot reach.",
		Remedy: "Use a public IP address or a host name in `-serviceAddr`. On a private network the message may " +
			"be ignored.",
	},
	{
		Code: PortClosed, Class: Upstream,
		Symptom: "no gateways connect; `not available at … via grpc ping check`",
		Cause: "A firewall, NAT or cloud security group keeps port 8935 closed, or the router cannot reach its " +
			"own public address.",
		Remedy: "Open inbound TCP 8935 and forward it on the NAT; check from another network with `curl -k " +
			"https://host:8935/status`, where any answer proves that the port is open. If only the router " +
			"cannot loop back, start with `-startupAvailabilityCheck=false`.", Retryable: true,
	},
	{
		Code: ListenFailed, Class: Config,
		Symptom: "`address already in use` or `permission denied` for a listening address",
		Cause: "Another process holds the port, often an earlier copy of the node, or the address does not " +
			"belong to this machine.",
		Remedy: "Stop the other process (`ss -ltnp` names it), or choose another address with `-httpAddr`, " +
			"`-serviceAddr` or `-cliAddr`.",
	},
	{
		Code: StartFailed, Class: Internal,
		Cause:  "A part of the node ended before it was ready to serve; the cause follows in the message.",
		Remedy: "Read the cause in the same line and correct it; the node does not run half-started.", Retryable: true,
	},
	{
		Code: ComponentFailed, Class: Internal,
		Cause: "A part of the node ended while it should have gone on; the node stops so that a supervisor can " +
			"restart it whole.",
		Remedy: "Read the cause in the same line. If it repeats, report it with the lines before it.", Retryable: true,
	},
	{
		Code: StopTimeout, Class: Internal,
		Cause:  "A part of the node did not end within its grace period at shutdown and was left behind.",
		Remedy: "None needed for this shutdown. If it repeats, report the component's name and what it was doing.",
	},
	{
		Code: LogDirUnusable, Class: Config,
		Cause: "The directory given for log files does not exist or cannot be written by this user.",
		Remedy: "Create the directory and give it to the node's user, or leave `-log_dir` out to log to standard " +
			"error.",
	},
	{
		Code: LogLost, Class: Config,
		Symptom: "the log has a gap, and then a line `log lines were lost`",
		Cause: "Log lines cannot be written, mostly because the log's disk is full or the process that read " +
			"standard error is gone. The node works on; the lines are dropped and counted.",
		Remedy: "Free space on the disk that the detail names (`df -h`), and rotate or shorten old logs; the node " +
			"goes on writing by itself within ten seconds.",
	},
	{
		Code: DataDirUnusable, Class: Config,
		Cause:  "The data directory does not exist and cannot be made, or this user may not write in it.",
		Remedy: "Give it to the node's user (`chown`), or choose another one with `-dataDir`.",
	},
	{
		Code: DatabaseDamaged, Class: Internal,
		Symptom: "`file is not a database`, `database disk image is malformed`",
		Cause: "`tutti.db` in the data directory is damaged: the disk failed, the file was cut off, or another " +
			"program wrote in it. It holds winning tickets that are not redeemed yet, transactions that wait to " +
			"be mined, what a gateway paid, and API keys.",
		Remedy: "Do not delete it. Stop the node and keep a copy of `tutti.db`, `tutti.db-wal` and `tutti.db-shm` " +
			"as they are, and look at the system's log for disk errors. Then put back the newest backup of these " +
			"files: an older copy credits nothing twice, and the node says what it means (LedgerRestored). Without " +
			"a backup `sqlite3 tutti.db .recover | sqlite3 recovered.db` saves what can be read; put that in place " +
			"of `tutti.db`, without the two other files, and run `tutti ledger verify`. `tutti ledger export " +
			"-tickets` may still list the winning tickets. Only a node that has no winning tickets, payments or API " +
			"keys to lose can begin with a new file.",
	},
	{
		Code: SecretFileDamaged, Class: Config,
		Cause: "A file of the data directory that the message names does not hold the secret that the node keeps " +
			"there: it is empty, was cut off, or holds something else.",
		Remedy: "Put it back from a backup, or remove it and start the node again: it makes a new secret, and what " +
			"was signed with the one before, such as the addresses of streams, ends.",
	},
}
