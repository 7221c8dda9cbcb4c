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
	// endpoints, or the clock, show to be false.
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

// chainUnreachable is what peers learn: which endpoints a node uses is not theirs to
// know.
const chainUnreachable = "the chain cannot be reached at this moment"

// rpcRows are the conditions of the endpoints in -ethUrl. Read-only.
var rpcRows = []Row{
	{
		Code: ChainUnavailable, Class: Upstream, Retryable: true, Wire: chainUnreachable,
		Symptom: "`connection refused`, `context deadline exceeded` or `could not retrieve chain ID`; the " +
			"existing node says `failed to get chain ID from remote ethereum node`, `Failed to connect to " +
			"Ethereum client` or `expecting chainID of`",
		Cause: "No layer-2 endpoint of `-ethUrl` answers as it should: a wrong address, a rate-limited " +
			"endpoint, a provider that is down, or an API key that expired. The node keeps trying and serves " +
			"from what it knows.",
		Remedy: "Read the reason behind each endpoint's name in the same line. Use layer-2 endpoints; check " +
			"one with `curl -X POST -H 'Content-Type: application/json' -d " +
			"'{\"jsonrpc\":\"2.0\",\"method\":\"eth_chainId\",\"params\":[],\"id\":1}' <url>`, which " +
			"answers 0xa4b1 on Arbitrum One. Add a second provider to `-ethUrl`, separated by a comma, " +
			"or change provider or plan.",
	},
	{
		Code: RPCURLInvalid, Class: Config,
		Cause: "An address in `-ethUrl` is not a URL with a scheme and a host, or has another scheme than http, " +
			"https, ws or wss.",
		Remedy: "Correct `-ethUrl`: full addresses, separated by commas, for example " +
			"`https://host/key,wss://other.host/key`.",
	},
	{
		Code: RPCLayerOne, Class: Config,
		Symptom: "`this is a layer-1 endpoint`",
		Cause: "The endpoint answers chain ID 1, which is Ethereum itself; the protocol's contracts are on " +
			"layer 2.",
		Remedy: "Use a layer-2 URL (Arbitrum One, chain ID 42161) in `-ethUrl`; most providers list it as a " +
			"network of its own besides Ethereum.",
	},
	{
		Code: RPCWrongChain, Class: Config,
		Symptom: "`expecting chainID of`",
		Cause: "The endpoint is one of another chain than the rest of the node is set to; both chain IDs are in " +
			"the same line. Nothing is read from it or sent to it.",
		Remedy: "Use an endpoint of the expected chain in `-ethUrl` (Arbitrum One is 42161), or correct `-network`.",
	},
	{
		Code: RPCKeyRefused, Class: Config,
		Symptom: "`HTTP 401` or `HTTP 403` from an endpoint",
		Cause: "The provider refuses the API key in the URL: it expired, was rotated, is mistyped, or is not " +
			"allowed for this network or this machine's address.",
		Remedy: "Copy the URL again from the provider's dashboard into `-ethUrl` and restart; check the key's " +
			"allow-lists there.",
	},
	{
		Code: RPCRateLimited, Class: Upstream, Retryable: true,
		Symptom: "`HTTP 429` or `too many requests` from an endpoint",
		Cause: "The provider's limit of requests is reached. The node leaves the endpoint alone for as long as " +
			"it asked and uses the others.",
		Remedy: "Add a second provider to `-ethUrl`, take a larger plan, or raise `-blockPollingInterval`.",
	},
	{
		Code: RPCUnreachable, Class: Upstream, Retryable: true,
		Symptom: "`connection refused`",
		Cause: "No connection to the endpoint: no process listens there, its host name cannot be resolved, TLS " +
			"fails, or it hangs up. The same line says which.",
		Remedy: "Check host, port and scheme in `-ethUrl`, this machine's DNS, clock and firewall, and the " +
			"provider's status page.",
	},
	{
		Code: RPCTimeout, Class: Upstream, Retryable: true,
		Symptom: "`context deadline exceeded`",
		Cause: "The endpoint takes the request and does not answer in time: it is overloaded, or something on " +
			"the way drops packets.",
		Remedy: "Check the network to the provider and its status page; add a second provider to `-ethUrl`.",
	},
	{
		Code: RPCStale, Class: Upstream, Retryable: true,
		Cause: "The endpoint answers, but its newest block is far behind that of the others, or has not changed " +
			"for minutes.",
		Remedy: "None needed while another endpoint is in step. Otherwise see the provider's status page, wait until " +
			"your own node has caught up, or change the endpoint. A test chain that makes blocks on demand shows this " +
			"when idle.",
	},
	{
		Code: RPCGarbage, Class: Upstream, Retryable: true,
		Symptom: "`not JSON-RPC`, a page of HTML, or an unexpected HTTP status from an endpoint",
		Cause: "What answers is not a JSON-RPC server of a chain: a web page, a proxy, half an answer, or one " +
			"beyond the bound of 32 MiB.",
		Remedy: "Check path and port in `-ethUrl`; open the provider's status page; ask the endpoint with curl " +
			"as shown at `ChainUnavailable`.",
	},
	{
		Code: RPCContradicted, Class: Upstream, Wire: chainUnreachable,
		Cause: "The endpoint answered a question about the chain otherwise than most of the others, twice, or " +
			"showed a block or a receipt that they do not have. It is broken, or it lies. The node asks it " +
			"nothing for an hour and sends it no transactions; what it said was not acted on. Or it gave a " +
			"layer-1 height that the clock does not allow: that is not acted on either, unless it is given for " +
			"five minutes, because the clock may be wrong.",
		Remedy: "Ask the provider about it, or take the endpoint out of `-ethUrl`. Have at least three endpoints " +
			"of different providers there, so that two are left that can confirm one another. Where the detail " +
			"names the clock, check it first: `timedatectl`.",
	},
	{
		Code: ChainDisputed, Class: Upstream, Retryable: true, Wire: chainUnreachable,
		Cause: "The endpoints of `-ethUrl` contradict one another, and no answer has enough of them behind it; " +
			"or fewer answer than it takes: for the addresses of contracts and the end of a ticket, more " +
			"than half of the endpoints in use. The node does not act on such answers: what moves money " +
			"waits.",
		Remedy: "None needed if it passes within a minute. Otherwise compare the endpoints that the line names " +
			"with a block explorer, take the false one out of `-ethUrl`, and add a third of another provider.",
	},
	{
		Code: RPCBlockUnknown, Class: NotFound, Retryable: true, Wire: chainUnreachable,
		Symptom: "`header not found` or `missing trie node`",
		Cause: "No endpoint has the block that was asked for: they are behind, it was undone by a " +
			"reorganization, or its state is no longer kept.",
		Remedy: "None needed when it passes within seconds. If it stays, the endpoints are behind: see `RPCStale`.",
	},
	{
		Code: RPCMethodMissing, Class: Upstream, Wire: chainUnreachable,
		Cause:  "The endpoint does not offer a method that the node needs; some plans leave methods out.",
		Remedy: "Use an endpoint with the full `eth_` interface, or allow the method in the provider's settings.",
	},
	{
		Code: RPCLogsRefused, Class: Upstream, Retryable: true, Wire: chainUnreachable,
		Cause:  "The endpoint refuses `eth_getLogs` even for a single block, so that events cannot be read from it.",
		Remedy: "Use an endpoint or a plan that allows eth_getLogs, or add a second provider to `-ethUrl`.",
	},
	{
		Code: TxNonceUsed, Class: Upstream,
		Symptom: "`nonce too low`",
		Cause: "Another transaction of the account has the same number and was mined: another program, or a " +
			"second node, uses the account.",
		Remedy: "None needed when the node sends again by itself. Keep one account to one node; in split setups " +
			"only one process may have `-ethUrl`.",
	},
	{
		Code: TxFundsMissing, Class: Payment,
		Symptom: "`insufficient funds for gas * price + value`",
		Cause:   "The account does not hold enough ETH on layer 2 for the transaction's value and gas.",
		Remedy:  "Send ETH on Arbitrum One to the account that the node shows, then try again.",
	},
	{
		Code: TxFeeTooLow, Class: Upstream, Retryable: true,
		Symptom: "`max fee per gas less than block base fee`, `transaction underpriced`",
		Cause: "The fee offered is below the chain's base fee of the moment, or does not replace the " +
			"transaction that waits with the same number.",
		Remedy: "None needed when the node tries again with a higher fee; if `-maxGasPrice` holds it back, raise " +
			"that.",
	},
	{
		Code: TxGasTooLow, Class: Upstream,
		Symptom: "`intrinsic gas too low`, `gas limit reached`",
		Cause: "The gas limit does not carry the transaction. On Arbitrum the cost of posting its data to layer " +
			"1 is part of it and varies.",
		Remedy: "Leave `-gasLimit` out, so that it is estimated.",
	},
	{
		Code: TxRefused, Class: Upstream,
		Cause:  "Every endpoint that answered refused the transaction; their reason is in the same line.",
		Remedy: "Read the reason. If it names the provider's policy, use an endpoint that takes transactions.",
	},
	{
		Code: TxOutcomeUnknown, Class: Upstream, Wire: chainUnreachable,
		Cause: "The transaction was sent and the answer was lost, so it may or may not be on its way.",
		Remedy: "None needed: the node keeps it, looks for it on the chain and sends the same one again. Do not " +
			"repeat the action by hand.",
	},
}
