package fault

// Defects and interruptions.
const (
	// Unexpected is the code of an error that carries none: our own defect.
	Unexpected Code = "Unexpected"
	// Canceled: whoever asked for the work no longer wants it.
	Canceled Code = "Canceled"
	// DeadlineExceeded: the work's time ran out.
	DeadlineExceeded Code = "DeadlineExceeded"
)

// Session and admission.
const (
	OrchestratorCapped       Code = "OrchestratorCapped"
	OrchestratorBusy         Code = "OrchestratorBusy"
	ErrTranscoderUnavailable Code = "ErrTranscoderUnavailable"
	Draining                 Code = "Draining"
	// SessionCleanup: a session saw no segment for its idle time and was ended.
	SessionCleanup Code = "SessionCleanup"
)

// Start and reachability.
const (
	// CommandNotFound is the shell's own complaint; it is here to be found in
	// the documents.
	CommandNotFound Code = "CommandNotFound"
	// NoDevices: GPUs were asked for and none can be used.
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
	// ComponentFailed: a part of the node ended without being asked.
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
)

// Admin listener.
const (
	// AdminHostRefused: the Host header names something that is not this listener.
	AdminHostRefused Code = "AdminHostRefused"
	// AdminCrossSite: a browser page of another site asked for a change.
	AdminCrossSite Code = "AdminCrossSite"
	// AdminBadParam: a form field is missing or malformed.
	AdminBadParam Code = "AdminBadParam"
	// MissingETHClient: a chain route was asked of a node that runs off-chain.
	MissingETHClient Code = "MissingETHClient"
)
