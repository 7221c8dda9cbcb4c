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
	// AccountPasswordMissing: nobody to ask for the passphrase.
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
