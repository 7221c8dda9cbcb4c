package fault

// Codes of API keys: what a client with a key, or without one, can meet.
const (
	// KeyMissing (class Unauthenticated): the request has no API key and the gateway wants one.
	KeyMissing Code = "KeyMissing"
	// KeysNotConfigured (class Forbidden): the gateway has no API key, so it serves only its own machine.
	KeysNotConfigured Code = "KeysNotConfigured"
	// KeyUnknown (class Unauthenticated): the API key is not one of the gateway's.
	KeyUnknown Code = "KeyUnknown"
	// KeyRevoked (class Unauthenticated): the operator took the API key back.
	KeyRevoked Code = "KeyRevoked"
	// KeyExpired (class Unauthenticated): the API key's time is over.
	KeyExpired Code = "KeyExpired"
	// KeyDenied (class Forbidden): the operator's webhook refused the request.
	KeyDenied Code = "KeyDenied"
	// ModelNotAllowed (class Forbidden): the API key is not for this model.
	ModelNotAllowed Code = "ModelNotAllowed"
	// RequestAboveLimit (class BadRequest): the request alone is more than a whole limit of the key.
	RequestAboveLimit Code = "RequestAboveLimit"
	// BudgetSpent (class Payment): what the request may use is more than is left of the key's budget.
	BudgetSpent Code = "BudgetSpent"
	// BudgetRateUnknown (class Busy, retryable): the key's budget is in dollars, and their rate is not known.
	BudgetRateUnknown Code = "BudgetRateUnknown"
	// BudgetAlert: a key has used the share of its budget at which its operator wants an alert.
	BudgetAlert Code = "BudgetAlert"
	// RateLimited (class Busy, retryable): the key's requests per minute are used.
	RateLimited Code = "RateLimited"
	// TokenRateLimited (class Busy, retryable): the key's tokens per minute are used.
	TokenRateLimited Code = "TokenRateLimited"
	// ConcurrencyLimited (class Busy, retryable): the key has as many requests in progress as it may.
	ConcurrencyLimited Code = "ConcurrencyLimited"
	// KeyWebhookFailed (class Upstream, retryable): the operator's webhook could not be asked about a key.
	KeyWebhookFailed Code = "KeyWebhookFailed"
)

// Conditions of managing API keys.
const (
	// KeyFileInvalid (class Config): the file of -apiKeys cannot be used.
	KeyFileInvalid Code = "KeyFileInvalid"
	// KeyStoreFailed: tutti.db could not be read or written.
	KeyStoreFailed Code = "KeyStoreFailed"
	// KeyDirUnknown (class Config): the data directory is no node's.
	KeyDirUnknown Code = "KeyDirUnknown"
	// KeyNotAdmin (class Forbidden): the key may not manage keys.
	KeyNotAdmin Code = "KeyNotAdmin"
	// KeyInvalid (class BadRequest): a key cannot have these properties.
	KeyInvalid Code = "KeyInvalid"
	// KeyNameTaken (class BadRequest): a valid key has the name already.
	KeyNameTaken Code = "KeyNameTaken"
	// KeyNotFound (class NotFound): no valid key has this name or ID.
	KeyNotFound Code = "KeyNotFound"
)

// keysRows are the conditions of API keys. Read-only.
var keysRows = []Row{
	{
		Code: KeyMissing, Class: Unauthenticated,
		Cause:  "The request has no API key, and the gateway takes only requests that have one.",
		Remedy: "Send the header `Authorization: Bearer <key>`; the operator makes keys with `tutti key create`.",
	},
	{
		Code: KeysNotConfigured, Class: Forbidden,
		Cause: "The gateway listens where others can reach it, and has no API key. Until it has one, it takes " +
			"AI requests from its own machine only.",
		Remedy: "Make a key with `tutti key create -name app`, or name a key file with `-apiKeys`; it counts " +
			"within a second.",
	},
	{
		Code: KeyUnknown, Class: Unauthenticated,
		Cause:  "The API key is not one of the gateway's: mistyped, cut short, or made on another node.",
		Remedy: "Check the key for mistakes, or ask the operator for one.",
	},
	{
		Code: KeyRevoked, Class: Unauthenticated,
		Cause:  "The operator took the API key back.",
		Remedy: "Ask the operator for a new key; `tutti key create` makes one.",
	},
	{
		Code: KeyExpired, Class: Unauthenticated,
		Cause: "The API key's time is over.",
		Remedy: "Ask the operator for a new key, or for more time on this one with `tutti key limits <name> " +
			"-expires 30d`.",
	},
	{
		Code: KeyDenied, Class: Forbidden,
		Cause:  "The operator's webhook (`-authWebhookUrl`) refused the request.",
		Remedy: "Ask the operator; the webhook's own log says why.",
	},
	{
		Code: ModelNotAllowed, Class: Forbidden,
		Cause:  "The API key is not for the model that the request names.",
		Remedy: "Ask for a model that the key allows, or have it added with `tutti key limits <name> -models …`.",
	},
	{
		Code: RequestAboveLimit, Class: BadRequest,
		Cause: "The request alone asks for more than its API key may use in a minute, or than its whole budget, " +
			"so that waiting does not help.",
		Remedy: "Lower `max_tokens` to the number that the text names, shorten the prompt, or have the limit " +
			"raised with `tutti key limits <name> -tpm …` or `-budget …`.",
	},
	{
		Code: BudgetSpent, Class: Payment,
		Cause: "What the request may use, prompt and `max_tokens` together, or the units of an image, a video " +
			"or sound, or what its orchestrator charges, is more than is left of the API key's budget; requests " +
			"in progress hold their share until they end.",
		Remedy: "Lower `max_tokens`, wait for the next period, or have the budget raised with `tutti key limits " +
			"<name> -budget …` (or `-budgetWei`, `-budgetUSD`).",
	},
	{
		Code: BudgetRateUnknown, Class: Busy,
		Cause: "The API key has a budget in dollars, and this gateway does not know what ETH is worth: its price " +
			"feed has not answered, has another currency, or there is none.",
		Remedy: "Look for `PriceFeedFailing` and at `-priceFeedAddr`, or give the key a budget in wei: `tutti key " +
			"limits <name> -budgetUSD 0 -budgetWei …`.", Retryable: true,
	},
	{
		Code: BudgetAlert, Class: Payment,
		Cause: "An API key has used the part of its budget at which its operator wants to be told (`-alert`).",
		Remedy: "Nothing needs to be done: the key is refused when all is used. Raise the budget with `tutti key " +
			"limits <name> -budget …`, `-budgetWei` or `-budgetUSD` if it shall go on. `tutti key spend` says what " +
			"it was used for. The condition ends with the period.",
	},
	{
		Code: RateLimited, Class: Busy,
		Cause: "The API key's requests per minute are used up.",
		Remedy: "Wait as long as the header Retry-After says, or have the limit raised with `tutti key limits " +
			"<name> -rpm …`.", Retryable: true,
	},
	{
		Code: TokenRateLimited, Class: Busy,
		Cause: "The API key's tokens per minute are used up.",
		Remedy: "Wait as long as the header Retry-After says, lower `max_tokens`, or have the limit raised with " +
			"`tutti key limits <name> -tpm …`.", Retryable: true,
	},
	{
		Code: ConcurrencyLimited, Class: Busy,
		Cause: "The API key has as many requests in progress as it may have.",
		Remedy: "Wait for one of them to end, or have the limit raised with `tutti key limits <name> " +
			"-concurrency …`.", Retryable: true,
	},
	{
		Code: KeyWebhookFailed, Class: Upstream,
		Cause: "The operator's webhook could not be asked about an API key, or its answer was not understood; a " +
			"request is refused unless the webhook admits it.",
		Remedy: "Check that the `-authWebhookUrl` service is up, and that it answers with status 200 and JSON or " +
			"nothing.", Retryable: true,
	},
	{
		Code: KeyFileInvalid, Class: Config,
		Cause: "The file of `-apiKeys` cannot be read, others may read the secrets in it, or entries in it are " +
			"wrong.",
		Remedy: "Correct the lines that the text names; a file with secrets in it wants `chmod 600`. " +
			"docs/api-keys.md has the form.",
	},
	{
		Code: KeyStoreFailed, Class: Internal,
		Cause: "API keys or their counts could not be read from or written to tutti.db in the data directory.",
		Remedy: "Check that the disk has space, that the file belongs to the node's user, and that no other " +
			"program holds it locked.", Retryable: true,
	},
	{
		Code: KeyDirUnknown, Class: Config,
		Cause: "No node has used the data directory of this `tutti key`: the directory is mistyped, `-network` or " +
			"`-config` is missing, or the node runs as another user. It has no keys, and no gateway would know a new " +
			"one.",
		Remedy: "Give `-dataDir`, `-network` and `-config` as given to the node, and run the command as the node's " +
			"user. For a key before the node's first start, add `-new` to `tutti key create`.",
	},
	{
		Code: KeyNotAdmin, Class: Forbidden,
		Cause: "Only an admin key may list, make, change and revoke keys, or see what other keys spent.",
		Remedy: "Ask the operator for an admin key (`tutti key create -name boss -admin`). `GET /v1/keys/self` and " +
			"`GET /v1/usage` have a key's own.",
	},
	{
		Code: KeyInvalid, Class: BadRequest,
		Cause:  "An API key cannot have the properties that were asked for.",
		Remedy: "Correct what the text names; `tutti key` lists the options.",
	},
	{
		Code: KeyNameTaken, Class: BadRequest,
		Cause:  "A valid API key has that name already.",
		Remedy: "Take another name, or revoke the other key first with `tutti key revoke <name>`.",
	},
	{
		Code: KeyNotFound, Class: NotFound,
		Cause:  "No valid API key has that name or ID.",
		Remedy: "See `tutti key list` for the keys there are; keys of a file or a webhook are changed there.",
	},
}
