package fault

// Transactions of the node's account: what they cost and what becomes of them.
const (
	// GasMoneyMissing (class Config, retryable): the account cannot pay for a
	// transaction. Remedy: send it ETH.
	GasMoneyMissing Code = "GasMoneyMissing"
	// GasPriceAboveMax (class Busy, retryable): the chain's price is above
	// -maxGasPrice. Remedy: wait, or raise it.
	GasPriceAboveMax Code = "GasPriceAboveMax"
	// GasEstimateFailed (class Upstream, retryable): no endpoint could say what a
	// transaction needs. Remedy: look at the endpoints.
	GasEstimateFailed Code = "GasEstimateFailed"
	// ForeignTransaction (class Config): another program sends transactions with
	// the node's key. Remedy: give each program a key of its own.
	ForeignTransaction Code = "ForeignTransaction"
	// TxReverted (class Upstream): a contract undid the transaction and gave no
	// reason that is known. Remedy: look the transaction up in an explorer.
	TxReverted Code = "TxReverted"
	// TxExpired (class Busy): the last block in which the transaction made sense
	// passed before it was mined. Remedy: none needed, or pay more for gas.
	TxExpired Code = "TxExpired"
	// TxGivenUp (class Busy, retryable): a transaction was taken out of the way of
	// later ones. Remedy: raise -maxGasPrice or -maxTransactionReplacements.
	TxGivenUp Code = "TxGivenUp"
	// TxStuck (class Upstream, retryable): a transaction is not mined in spite of
	// all replacements. Remedy: raise -maxGasPrice, look at the endpoints.
	TxStuck Code = "TxStuck"
	// TxQueueFull (class Busy, retryable): too many transactions wait to be sent.
	// Remedy: wait, and see why they do.
	TxQueueFull Code = "TxQueueFull"
	// TxJournalFailed: tutti.db could not be written, so nothing is sent.
	// Remedy: check the disk.
	TxJournalFailed Code = "TxJournalFailed"
	// TxManagerStopped (class Busy, retryable): the node stops and sends nothing
	// more. Remedy: none needed; what was sent is followed after the restart.
	TxManagerStopped Code = "TxManagerStopped"
)
