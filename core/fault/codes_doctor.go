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
	// ServiceAddrUnresolved: the host name of the service address leads nowhere.
	ServiceAddrUnresolved Code = "ServiceAddrUnresolved"
	// CertificateEnding: the listener's certificate ends soon.
	CertificateEnding Code = "CertificateEnding"
	// CertificateExpired: it has ended.
	CertificateExpired Code = "CertificateExpired"
	// RPCSlow: an endpoint takes long to answer.
	RPCSlow Code = "RPCSlow"
	// RPCSingle: there is one endpoint and nothing to turn to when it fails.
	RPCSingle Code = "RPCSingle"
	// PollingSlow: the chain is asked so seldom that tickets age.
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
	// SocketStale: the admin socket's file is there and nobody listens.
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
