package fault

// tutti_cli, before and after it talks to the node.
const (
	// NodeUnreachable: nothing answers at the admin address.
	NodeUnreachable Code = "NodeUnreachable"
	// NodeAnswerUnreadable: what answers is no node, or one of another release.
	NodeAnswerUnreadable Code = "NodeAnswerUnreadable"
	// AdminTokenMissing: no token was found to ask for changes with.
	AdminTokenMissing Code = "AdminTokenMissing"
	// AdminTokenInClear: the token would cross a network unencrypted.
	AdminTokenInClear Code = "AdminTokenInClear"
	// AdminPortTaken: another user's program listens at the node's admin address.
	AdminPortTaken Code = "AdminPortTaken"
	// CommandLineInvalid: a word or value of the command line cannot be read.
	CommandLineInvalid Code = "CommandLineInvalid"
	// ConfirmationMissing: nobody can be asked, and --yes was not given.
	ConfirmationMissing Code = "ConfirmationMissing"
	// ActionDeclined: the operator said no.
	ActionDeclined Code = "ActionDeclined"
	// ValueUnusual: a value can be read and is most likely not meant.
	ValueUnusual Code = "ValueUnusual"
	// WaitTimedOut: the transaction is on its way, and the time to wait is over.
	WaitTimedOut Code = "WaitTimedOut"
	// OutcomeUnknown: a change was asked for, and the answer did not come.
	OutcomeUnknown Code = "OutcomeUnknown"
	// PullInterrupted: the operator ended a pull.
	PullInterrupted Code = "PullInterrupted"
)
