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
	// ConfirmationMissing: there is no terminal to ask on, and --yes was not given.
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

// cliRows are the conditions of the command line tool itself. Read-only.
var cliRows = []Row{
	{
		Code: NodeUnreachable, Class: Upstream,
		Symptom: "tutti_cli ends with status 4",
		Cause: "Nothing answers at the node's admin address: the node is not running, listens elsewhere, or " +
			"runs on another machine or in a container.",
		Remedy: "Start the node, or name its admin address with `--host` and `--http`, `--url` or `--url " +
			"unix:/path`; the node's `-cliAddr` or `-adminSocket` says where it listens.", Retryable: true,
	},
	{
		Code: NodeAnswerUnreadable, Class: Upstream,
		Cause: "What answers at the admin address does not speak the node's admin API: another program has the " +
			"port, or the node is of another release.",
		Remedy: "Check the address (7935 for an orchestrator, 5935 for a gateway alone), and use the tutti_cli " +
			"of the node's own release.",
	},
	{
		Code: AdminTokenMissing, Class: Unauthenticated,
		Cause: "A change needs the admin token, and tutti_cli found none: no TUTTI_ADMIN_TOKEN, no " +
			"`--token-file`, and no admin.token in the data directory.",
		Remedy: "Run tutti_cli as the node's user, or give `--dataDir` or `--token-file`; the node writes " +
			"admin.token into its data directory at start.",
	},
	{
		Code: AdminTokenInClear, Class: Forbidden,
		Cause: "The address is on another machine and is not https, so any machine in between could read the admin " +
			"token and spend from the account.",
		Remedy: "Run tutti_cli on the node's machine, go through `ssh -L 7935:127.0.0.1:7935 host`, or use an " +
			"https address.",
	},
	{
		Code: AdminPortTaken, Class: Forbidden,
		Cause: "The program at the admin address runs as another user than the owner of admin.token, so " +
			"it may not be the node: " +
			"any user of the machine can take the port of a node that does not run. The token, which can " +
			"spend from the account, was not sent.",
		Remedy: "See which process has the port (`ss -ltnp`) and whether the node runs (`--http` names its port; a " +
			"gateway alone has 5935). " +
			"Where it is your node after all, name the token with `--token-file` or TUTTI_ADMIN_TOKEN.",
	},
	{
		Code: CommandLineInvalid, Class: Config,
		Cause:  "A word, option or value of the tutti_cli command line cannot be read.",
		Remedy: "Write it as the message says; `tutti_cli help VERB` lists the options of a verb.",
	},
	{
		Code: ConfirmationMissing, Class: Config,
		Cause: "The verb needs a confirmation and cannot ask for it: standard input is no terminal, or the " +
			"answer is to be JSON.",
		Remedy: "Look at it with `--dry-run`, then add `--yes`.",
	},
	{
		Code: ActionDeclined, Class: Forbidden,
		Cause:  "The question before the change was answered with no, or the input ended.",
		Remedy: "None needed: nothing was sent since the question.",
	},
	{
		Code: ValueUnusual, Class: Forbidden,
		Cause: "A value can be read, and past experience says that it is most likely not meant: base units for " +
			"whole tokens, 0.1 for 10 %, a price in whole ETH.",
		Remedy: "Write the value as the message suggests, or add `--allow-unusual` to keep it as it is.",
	},
	{
		Code: WaitTimedOut, Class: Upstream,
		Cause: "The transaction was sent and is not mined yet; the time to wait is over, the transaction is not.",
		Remedy: "Do not send it again. `tutti_cli transactions` shows how far it came; `--timeout` waits " +
			"longer.",
		Retryable: true,
	},
	{
		Code: OutcomeUnknown, Class: Upstream,
		Cause: "A change was asked for, and the answer did not come: the tool was interrupted, or the node went " +
			"away or took too long. The node may have made the change.",
		Remedy: "Look before anything else: `tutti_cli transactions` shows what was sent, `tutti_cli status` " +
			"what is set. What is in neither may be asked for again.",
	},
	{
		Code: PullInterrupted, Class: Forbidden,
		Cause:  "`tutti_cli models pull` was interrupted before everything was there.",
		Remedy: "Run `tutti_cli models pull MODEL` again: what has arrived is not fetched a second time.",
	},
}
