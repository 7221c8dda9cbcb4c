package fault

// Taking over what a node of the existing network left.
const (
	// OldDataMissing: nothing is where the existing node's data directory should be.
	OldDataMissing Code = "OldDataMissing"
	// OldDataUnreadable: the existing node's data directory cannot be read.
	OldDataUnreadable Code = "OldDataUnreadable"
	// OldDataWrongChain: the existing node worked on another chain.
	OldDataWrongChain Code = "OldDataWrongChain"
	// OldNodeRunning: the existing node still works with its data directory.
	OldNodeRunning Code = "OldNodeRunning"
	// SetupExists: a file that tutti init would write is there already.
	SetupExists Code = "SetupExists"
	// SetupAnswer: an answer to tutti init is missing or wrong.
	SetupAnswer Code = "SetupAnswer"
)
