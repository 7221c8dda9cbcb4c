package fault

// Changes of a running process: its configuration, and the program itself. The table
// has cause and remedy.
const (
	ReloadFailed    Code = "ReloadFailed"
	UpgradeFailed   Code = "UpgradeFailed"
	UpgradeRefused  Code = "UpgradeRefused"
	SocketUnusable  Code = "SocketUnusable"
	WatchdogStalled Code = "WatchdogStalled"
	DrainNotUndone  Code = "DrainNotUndone"
	// WorkerCertificateRefused is what a worker on another machine gets.
	WorkerCertificateRefused Code = "WorkerCertificateRefused"
)

// reloadRows are the conditions of a process that changes while it runs. Read-only.
var reloadRows = []Row{
	{
		Code: ReloadFailed, Class: Config,
		Cause: "The configuration was reloaded and has a mistake, or names a file that cannot be used. Nothing " +
			"of it was taken over: the node works on as it was.",
		Remedy: "Correct what the detail names (`tutti config check` with the same options lists every mistake), " +
			"then run `tutti_cli reload` again; `--dry-run` shows what would change.",
	},
	{
		Code: UpgradeFailed, Class: Config,
		Cause: "A new process was started to replace this one and did not become ready. This one works on, " +
			"or the program as it was before has been started again.",
		Remedy: "Read the lines before this one: the new process says there why it ended. `/path/to/tutti config " +
			"check` with the same options finds most reasons. Then run `tutti_cli upgrade` again.",
	},
	{
		Code: UpgradeRefused, Class: Config,
		Cause: "This process cannot be replaced by another one: it is the first process of a container, or that " +
			"one waits for it; the node is draining or stopping; an upgrade is under way; or the system does " +
			"not allow it.",
		Remedy: "In a container start a new one alongside the old and drain the old (`tutti_cli drain --stop`); " +
			"elsewhere wait for the upgrade that is under way, or end the drain (`tutti_cli drain --cancel`) " +
			"first.",
	},
	{
		Code: SocketUnusable, Class: Config,
		Cause: "The service manager handed over a socket whose name is not one that the node knows, or that is " +
			"no listening socket.",
		Remedy: "In the .socket unit write `FileDescriptorName=public`, `gateway` or `admin` and " +
			"`ListenStream=`; one unit per socket.",
	},
	{
		Code: WatchdogStalled, Class: Internal,
		Cause: "A part of the node made no progress within its time limit. The node stops its reports to the " +
			"service manager, which will restart it.",
		Remedy: "None needed: the restart fixes it. If it repeats, send the log before it; a machine that is " +
			"overloaded or out of memory is the usual reason.", Retryable: true,
	},
	{
		Code: DrainNotUndone, Class: Busy,
		Cause:  "The node is stopping, so that its drain cannot be undone any more.",
		Remedy: "Wait until it has ended, and start it again.",
	},
	{
		Code: WorkerCertificateRefused, Class: Config,
		Symptom: "the orchestrator turns a worker away whose secret is right",
		Cause: "The orchestrator wants a certificate of its -workerCA from workers, and this worker shows none " +
			"that is from there.",
		Remedy: "Start the worker with `-workerCert` and `-workerKey`, signed by an authority in the " +
			"orchestrator's -workerCA file.",
	},
}
