package fault

// Codes of the layer-2 endpoints in -ethUrl.
const (
	// ChainUnavailable (class Upstream, retryable): no endpoint answers as it
	// should. It is the root cause of whatever lacks the chain.
	ChainUnavailable Code = "ChainUnavailable"
	// RPCURLInvalid (class Config): an address of -ethUrl cannot be read.
	RPCURLInvalid Code = "RPCURLInvalid"
	// RPCLayerOne (class Config): an endpoint is one of the layer-1 chain.
	RPCLayerOne Code = "RPCLayerOne"
	// RPCWrongChain (class Config): an endpoint is one of another chain.
	RPCWrongChain Code = "RPCWrongChain"
	// RPCKeyRefused (class Config): the provider refuses the key in the URL.
	RPCKeyRefused Code = "RPCKeyRefused"
	// RPCRateLimited (class Upstream, retryable): the provider's limit is reached.
	RPCRateLimited Code = "RPCRateLimited"
	// RPCUnreachable (class Upstream, retryable): no connection, or it broke.
	RPCUnreachable Code = "RPCUnreachable"
	// RPCTimeout (class Upstream, retryable): an endpoint does not answer in time.
	RPCTimeout Code = "RPCTimeout"
	// RPCStale (class Upstream, retryable): an endpoint's newest block is old.
	RPCStale Code = "RPCStale"
	// RPCGarbage (class Upstream, retryable): what came is not JSON-RPC.
	RPCGarbage Code = "RPCGarbage"
	// RPCContradicted (class Upstream): an endpoint gave an answer that the other
	// endpoints show to be false.
	RPCContradicted Code = "RPCContradicted"
	// ChainDisputed (class Upstream, retryable): too few endpoints answer alike.
	ChainDisputed Code = "ChainDisputed"
	// RPCBlockUnknown (class NotFound, retryable): no endpoint has the block.
	RPCBlockUnknown Code = "RPCBlockUnknown"
	// RPCMethodMissing (class Upstream): an endpoint lacks a method.
	RPCMethodMissing Code = "RPCMethodMissing"
	// RPCLogsRefused (class Upstream): an endpoint refuses log requests.
	RPCLogsRefused Code = "RPCLogsRefused"
)

// Codes of handing a signed transaction to the endpoints.
const (
	// TxNonceUsed (class Upstream): another transaction took the nonce.
	TxNonceUsed Code = "TxNonceUsed"
	// TxFundsMissing (class Payment): the account cannot pay value and gas.
	TxFundsMissing Code = "TxFundsMissing"
	// TxFeeTooLow (class Upstream, retryable): the fee is below what the chain takes.
	TxFeeTooLow Code = "TxFeeTooLow"
	// TxGasTooLow (class Upstream): the gas limit cannot carry the transaction.
	TxGasTooLow Code = "TxGasTooLow"
	// TxRefused (class Upstream): every endpoint refused for another reason.
	TxRefused Code = "TxRefused"
	// TxOutcomeUnknown (class Upstream): it may have been taken; the answer was lost.
	TxOutcomeUnknown Code = "TxOutcomeUnknown"
)
