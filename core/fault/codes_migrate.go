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
	// SetupUnwritable: a file of tutti init cannot be written.
	SetupUnwritable Code = "SetupUnwritable"
)

// movingRows are about the way from an existing node to this one, and about tutti init. Read-only.
var migrateRows = []Row{
	{
		Code: OldDataMissing, Class: Config,
		Cause: "There is no directory where `-moveFrom` says that the existing node keeps its data, or neither " +
			"a database nor a keystore in it.",
		Remedy: "Name the directory that holds `lpdb.sqlite3`, or `keystore` where only keys are left, usually " +
			"`~/.lpData/arbitrum-one-mainnet` of the user that the existing node ran as; or write `-moveFrom " +
			"none` to take nothing over.",
	},
	{
		Code: OldDataUnreadable, Class: Config,
		Cause: "The existing node's data directory is there, and what is in it cannot be read: the rights are " +
			"missing, or the database is damaged or of a release that this program does not know. It was not " +
			"changed.",
		Remedy: "Let the user that tutti runs as read the directory, or copy it for that user, and look again " +
			"with `tutti move --dry-run`. To start without it write `-moveFrom none`; keys can be imported " +
			"one by one with `tutti_cli account import`.",
	},
	{
		Code: OldDataWrongChain, Class: Config,
		Cause: "The existing node's database belongs to another chain than the one that `-network` names, so " +
			"its tickets can never be redeemed here.",
		Remedy: "Name the directory of this network with `-moveFrom`, or correct `-network`; `-moveFrom none` " +
			"takes nothing over.",
	},
	{
		Code: OldNodeRunning, Class: Config,
		Cause: "The existing node still works with its data directory. Two nodes with one account take each " +
			"other's transaction numbers, and both would redeem the same winning tickets; so its tickets are " +
			"left to it while it runs.",
		Remedy: "Stop and disable it: `systemctl disable --now livepeer`, or stop its container. Its tickets are " +
			"taken over within seconds after that, without a restart. To keep both, give them different " +
			"accounts and start this one with `-moveFrom none`.",
	},
	{
		Code: SetupExists, Class: Config,
		Cause: "`tutti init` would write a file that is there already with another content. Nothing was written.",
		Remedy: "Look at the file, then run it again with `--force`, which keeps the old file next to the new " +
			"one, or with another `--dir`.",
	},
	{
		Code: SetupAnswer, Class: Config,
		Cause: "An answer that `tutti init` needs is missing or cannot be used, and there is no terminal to ask on.",
		Remedy: "Give it as a flag, such as `--role orchestrator`, or in the file of `--answers`; `tutti init " +
			"--help` lists them all.",
	},
	{
		Code: SetupUnwritable, Class: Config,
		Cause: "The folder for the files of `tutti init` does not exist and cannot be made, or this user may not " +
			"write in it.",
		Remedy: "Run it as root for `/etc/tutti`, or name another folder with `--dir`.",
	},
}
