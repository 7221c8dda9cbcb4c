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
	// WorkerCertificateRefused is told to a worker on another machine.
	WorkerCertificateRefused Code = "WorkerCertificateRefused"
)
