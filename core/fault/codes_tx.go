package fault

// Transactions of the node's account: what they cost and what becomes of them.
const (
	// GasMoneyMissing (class Config, retryable): the account cannot pay for a transaction.
	GasMoneyMissing Code = "GasMoneyMissing"
	// GasPriceAboveMax (class Busy, retryable): the chain's price is above -maxGasPrice.
	GasPriceAboveMax Code = "GasPriceAboveMax"
	// GasEstimateFailed (class Upstream, retryable): no endpoint could say what a transaction needs.
	GasEstimateFailed Code = "GasEstimateFailed"
	// ForeignTransaction (class Config): another program sends transactions with the node's key.
	ForeignTransaction Code = "ForeignTransaction"
	// TxReverted (class Upstream): a contract undid the transaction and gave no reason that is known.
	TxReverted Code = "TxReverted"
	// TxExpired (class Busy): the last block in which the transaction made sense passed before it was
	// mined.
	TxExpired Code = "TxExpired"
	// TxGivenUp (class Busy, retryable): a transaction was taken out of the way of later ones.
	TxGivenUp Code = "TxGivenUp"
	// TxStuck (class Upstream, retryable): a transaction is not mined in spite of all replacements.
	TxStuck Code = "TxStuck"
	// TxQueueFull (class Busy, retryable): too many transactions wait to be sent.
	TxQueueFull Code = "TxQueueFull"
	// TxJournalFailed: tutti.db could not be written, so nothing is sent.
	TxJournalFailed Code = "TxJournalFailed"
	// TxManagerStopped (class Busy, retryable): the node stops and sends nothing more.
	TxManagerStopped Code = "TxManagerStopped"
)

// txRows are the conditions of sending transactions and of waiting for them. Read-only.
var txRows = []Row{
	{
		Code: GasMoneyMissing, Class: Config,
		Symptom: "`insufficient funds for gas * price + value`",
		Cause: "The node's account has less ETH on this network than the transaction may cost at most: gas " +
			"limit times the highest price, and what the action itself pays.",
		Remedy: "Send ETH to the address that the message names, on the network the node uses; the message says " +
			"how much is missing. What waits goes on by itself, without a restart; an action that was " +
			"refused has to be asked for again.", Retryable: true,
	},
	{
		Code: GasPriceAboveMax, Class: Busy,
		Symptom: "`current gas price exceeds maximum gas price`",
		Cause: "The chain's base fee is above -maxGasPrice, so the node holds its transactions back; they go " +
			"out as soon as the price falls. An action that was asked for meanwhile is refused.",
		Remedy: "Wait, or raise -maxGasPrice, also while the node runs; 0 takes every price. If the base fee is " +
			"an ordinary one for the network, the bound was set too low.", Retryable: true,
	},
	{
		Code: GasEstimateFailed, Class: Upstream,
		Cause: "A transaction could not be tried out before it is sent: the endpoints gave an error that is " +
			"neither a contract's reason nor missing money.",
		Remedy: "Read the cause in the log. If it is the endpoint's, name another one in -ethUrl; -gasLimit sets " +
			"a fixed limit.", Retryable: true,
	},
	{
		Code: ForeignTransaction, Class: Config,
		Symptom: "`nonce too low`, `replacement transaction underpriced`, or transactions in the explorer that " +
			"the node did not send",
		Cause: "A transaction that this node did not send took the number of one that it did. Another program, " +
			"a second node or a wallet, uses the same key.",
		Remedy: "Stop the other program, or give it a key of its own. The node sent its transaction again once; " +
			"two programs with one key keep displacing one another. If no other program should have the key, move " +
			"the " +
			"funds: it was stolen.",
	},
	{
		Code: TxReverted, Class: Upstream,
		Symptom: "`execution reverted`, or status 0 in the receipt",
		Cause: "The contract undid the transaction and gave no reason that the node knows. When all of its gas " +
			"was used, the gas limit was too low.",
		Remedy: "Look the transaction up in an explorer. If it ran out of gas, leave -gasLimit out or raise it. " +
			"Else try the action again: its error before sending is often more precise.",
	},
	{
		Code: TxExpired, Class: Busy,
		Cause: "The transaction made sense until a certain layer-1 block, which passed before it was mined. If " +
			"it had been sent already, an empty transaction took its place.",
		Remedy: "None needed for this one. If it repeats, the price bound or the account's money holds " +
			"transactions back: see the other conditions.",
	},
	{
		Code: TxGivenUp, Class: Busy,
		Cause: "A transaction was not mined for long, and an empty one to the account itself took its place, so " +
			"that later transactions are not held up.",
		Remedy: "Do the action again. If it repeats, raise -maxGasPrice or -maxTransactionReplacements, or name " +
			"another endpoint in -ethUrl.", Retryable: true,
	},
	{
		Code: TxStuck, Class: Upstream,
		Cause: "A transaction is not mined although it was replaced as often as allowed, or the price that a " +
			"replacement needs is above -maxGasPrice. Later ones wait behind it.",
		Remedy: "Compare its price with the chain's: raise -maxGasPrice or -maxTransactionReplacements. If the " +
			"price is good, the endpoint may not pass transactions on: name another one in -ethUrl.", Retryable: true,
	},
	{
		Code: TxQueueFull, Class: Busy,
		Cause: "As many transactions as the node allows wait to be sent, because the earlier ones are not mined.",
		Remedy: "Look at the other conditions: the price bound, missing money or a stuck transaction holds them " +
			"up.", Retryable: true,
	},
	{
		Code: TxJournalFailed, Class: Internal,
		Cause: "Transactions are written to tutti.db in the data directory before they are sent. That failed, " +
			"or another process wrote other transactions there, so nothing is sent.",
		Remedy: "Check that the disk has space, that the file belongs to the node's user, and that no other " +
			"program holds it locked or, a second node, writes it. The node tries again by itself.", Retryable: true,
	},
	{
		Code: TxManagerStopped, Class: Busy,
		Cause:  "The node was asked to stop and sends no more transactions.",
		Remedy: "None needed: what was sent is followed after the next start.", Retryable: true,
	},
}
