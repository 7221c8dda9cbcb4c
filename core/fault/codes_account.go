package fault

// The node's account on the chain and the keystore that holds it.
const (
	// AccountMissing: no account where one is needed.
	AccountMissing Code = "AccountMissing"
	// AccountUnknown: the keystore has no key for the address asked for.
	AccountUnknown Code = "AccountUnknown"
	// AccountAmbiguous: several keys and none chosen.
	AccountAmbiguous Code = "AccountAmbiguous"
	// AccountExists: a key for the address is in the keystore already.
	AccountExists Code = "AccountExists"
	// AccountFileOpen: others may read the key file.
	AccountFileOpen Code = "AccountFileOpen"
	// AccountFileInvalid: not a key file.
	AccountFileInvalid Code = "AccountFileInvalid"
	// AccountPassword: the passphrase does not open the key.
	AccountPassword Code = "AccountPassword"
	// AccountPasswordMissing: the passphrase is missing, and there is no terminal to ask for it.
	AccountPasswordMissing Code = "AccountPasswordMissing"
	// KeystoreUnusable: the keystore cannot be read or written.
	KeystoreUnusable Code = "KeystoreUnusable"
	// SigningRefused: not one of the transactions that the node makes.
	SigningRefused Code = "SigningRefused"
	// MessageRefused: a text or a document that could stand for something of value.
	MessageRefused Code = "MessageRefused"
	// PingRefused: a ping's value that could stand for something else.
	PingRefused Code = "PingRefused"
	// TypedDataInvalid: not a typed structure that can be signed.
	TypedDataInvalid Code = "TypedDataInvalid"
	// DataDirInUse: another process works with the same files, or the same account and journal.
	DataDirInUse Code = "DataDirInUse"
	// WalletOnWorker: a worker process was given the way to the chain.
	WalletOnWorker Code = "WalletOnWorker"
)

// accountRows are the node's account and its keystore. Read-only.
var accountRows = []Row{
	{
		Code: AccountMissing, Class: Config,
		Cause: "The node has no account on the chain, so it can read the chain but not act on it.",
		Remedy: "Make one with `tutti_cli account create` or import one with `tutti_cli account import`, and " +
			"start the node with `-ethPassword` naming a file that holds its passphrase.",
	},
	{
		Code: AccountUnknown, Class: Config,
		Cause: "The keystore holds no key for the address that was asked for.",
		Remedy: "List what it holds with `tutti_cli account list`; correct `-ethAcctAddr`, or point " +
			"`-ethKeystorePath` at the keystore that has the key. Each network has a keystore of its own.",
	},
	{
		Code: AccountAmbiguous, Class: Config,
		Cause: "The keystore holds several keys and none was chosen; taking any one could register or spend " +
			"with the wrong account.",
		Remedy: "Choose one with `-ethAcctAddr 0x…`; the message lists them.",
	},
	{
		Code: AccountExists, Class: Config,
		Cause: "The keystore already holds a key for this address.",
		Remedy: "None needed: use the key that is there. To change its passphrase, move the old file away first " +
			"and import again.",
	},
	{
		Code: AccountFileOpen, Class: Config,
		Cause:  "Other users of this machine may read or write the key file or the file with its passphrase.",
		Remedy: "Close it: `chmod 600` the file, and make sure that it belongs to the user that the node runs as.",
	},
	{
		Code: AccountFileInvalid, Class: Config,
		Cause: "The file is not a version 3 key file, or what is to be imported is not a private key of 64 " +
			"hexadecimal digits.",
		Remedy: "Check the path: a key file is JSON and is named UTC--<time>--<address>. Restore it from a " +
			"backup if it is damaged.",
	},
	{
		Code: AccountPassword, Class: Config,
		Symptom: "`could not decrypt key with given password`",
		Cause:   "The passphrase does not open the key file.",
		Remedy: "Check the file that `-ethPassword` names: space at its ends is ignored, all else counts. A key " +
			"of another node may have been made with another passphrase; a lost one cannot be recovered.",
	},
	{
		Code: AccountPasswordMissing, Class: Config,
		Cause: "The key needs a passphrase; none was configured and there is no terminal to ask on.",
		Remedy: "Put it into a file of mode 600 and start with `-ethPassword /path/to/file`; under systemd use " +
			"`LoadCredential=ethPassword:/path/to/file`.",
	},
	{
		Code: KeystoreUnusable, Class: Config,
		Cause: "The keystore directory cannot be read, made or written.",
		Remedy: "Give it to the user that the node runs as and close it to others: `chown` and `chmod 700`; or " +
			"choose another with `-ethKeystorePath`.",
	},
	{
		Code: SigningRefused, Class: Internal,
		Cause: "The key was asked to sign a transaction that is none of the node's own: not a known function of " +
			"one of the protocol's contracts. Nothing was signed.",
		Remedy: "Report it with the lines before it. If the protocol's contracts were replaced, restart the node " +
			"so that it finds the new ones.",
	},
	{
		Code: MessageRefused, Class: Forbidden,
		Cause: "The account's key was asked to sign a text or a typed document that means something beyond " +
			"its words: bytes or hex digits that may be a ticket, a hash, an address " +
			"or a transaction, a text of exactly 32 bytes, the state of a remote signer, or a document that " +
			"makes a contract move or approve something. Nothing was signed.",
		Remedy: "Sign plain text, one character longer or shorter if it has 32 bytes. For transfers and " +
			"approvals use the actions of `tutti_cli help`, which do the same as transactions; " +
			"for documents of other contracts use a wallet with an account of its own.",
	},
	{
		Code: PingRefused, Class: BadRequest, Wire: "PingRefused: a ping has 1 to 31 bytes that stand for nothing else",
		Cause: "A peer asked the node, by Ping on the public port, to sign a value that could also be a " +
			"ticket, a request, a segment or a result. Nothing was signed. " +
			"The network's nodes send nothing of the kind.",
		Remedy: "None needed. A monitoring tool of yours that pings should send 1 to 31 bytes, for example the " +
			"time as text.",
	},
	{
		Code: TypedDataInvalid, Class: BadRequest,
		Cause: "The text is not a typed structure (EIP-712): JSON with types, primaryType, domain and message " +
			"that fit together.",
		Remedy: "Check the JSON; every field of the message must have a type, and numbers larger than 2^53 must " +
			"be strings.",
	},
	{
		Code: DataDirInUse, Class: Config,
		Cause: "Another process uses the same data directory: one with the same role, whose files are one " +
			"set, or one on the chain, with the same account and journal of transactions. " +
			"The two would replace each other's files, or take each other's transaction numbers.",
		Remedy: "Stop the other one, which the message names (`ps -fp PROCESS`); or give each its own " +
			"`-dataDir`, on the chain with an account of its own. " +
			"A gateway and an orchestrator may also be one process: `-orchestrator -transcoder -gateway`.",
	},
	{
		Code: WalletOnWorker, Class: Config,
		Cause: "A process that only transcodes or only runs models was given `-ethUrl`. In a split set-up such " +
			"a process with the orchestrator's wallet could send transactions of its own: reward calls fail " +
			"or are paid twice, and the two processes take each other's transaction numbers.",
		Remedy: "Remove `-ethUrl` (and LP_ETHURL) from the transcoder or AI worker; only the orchestrator " +
			"process talks to the chain.",
	},
}
