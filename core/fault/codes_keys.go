package fault

// Codes of API keys: what a client with a key, or without one, can meet.
const (
	// KeyMissing (class Unauthenticated): the request has no API key and the
	// gateway wants one. Remedy: send Authorization: Bearer <key>.
	KeyMissing Code = "KeyMissing"
	// KeysNotConfigured (class Forbidden): the gateway has no API key, so it serves
	// only its own machine. Remedy: tutti key create.
	KeysNotConfigured Code = "KeysNotConfigured"
	// KeyUnknown (class Unauthenticated): the API key is not one of the gateway's.
	// Remedy: check for typing mistakes, or ask the operator for a key.
	KeyUnknown Code = "KeyUnknown"
	// KeyRevoked (class Unauthenticated): the operator took the API key back.
	// Remedy: ask the operator for a new one.
	KeyRevoked Code = "KeyRevoked"
	// KeyExpired (class Unauthenticated): the API key's time is over.
	// Remedy: ask the operator for a new one, or for more time on it.
	KeyExpired Code = "KeyExpired"
	// KeyDenied (class Forbidden): the operator's webhook refused the request.
	// Remedy: ask the operator; the webhook's own log says why.
	KeyDenied Code = "KeyDenied"
	// ModelNotAllowed (class Forbidden): the API key is not for this model.
	// Remedy: ask for a model that the key allows, or have the model added.
	ModelNotAllowed Code = "ModelNotAllowed"
	// RequestAboveLimit (class BadRequest): the request alone is more than a whole
	// limit of the key. Remedy: lower max_tokens to the number in the text.
	RequestAboveLimit Code = "RequestAboveLimit"
	// BudgetSpent (class Payment): what the request may use is more than is left
	// of the key's budget. Remedy: lower max_tokens, wait for the next period, or
	// have the budget raised.
	BudgetSpent Code = "BudgetSpent"
	// RateLimited (class Busy, retryable): the key's requests per minute are used.
	// Remedy: wait as long as Retry-After says.
	RateLimited Code = "RateLimited"
	// TokenRateLimited (class Busy, retryable): the key's tokens per minute are
	// used. Remedy: wait as long as Retry-After says, or lower max_tokens.
	TokenRateLimited Code = "TokenRateLimited"
	// ConcurrencyLimited (class Busy, retryable): the key has as many requests in
	// progress as it may. Remedy: wait for one to end.
	ConcurrencyLimited Code = "ConcurrencyLimited"
	// KeyWebhookFailed (class Upstream, retryable): the operator's webhook could
	// not be asked about a key. Remedy: check that it is up and answers JSON.
	KeyWebhookFailed Code = "KeyWebhookFailed"
)

// What an operator can meet who keeps keys.
const (
	// KeyFileInvalid (class Config): the file of -apiKeys cannot be used.
	// Remedy: correct the lines that are named.
	KeyFileInvalid Code = "KeyFileInvalid"
	// KeyStoreFailed: tutti.db could not be read or written.
	// Remedy: check that the disk has space and the file belongs to the user.
	KeyStoreFailed Code = "KeyStoreFailed"
	// KeyInvalid (class BadRequest): a key cannot have these properties.
	// Remedy: correct what the text names.
	KeyInvalid Code = "KeyInvalid"
	// KeyNameTaken (class BadRequest): a good key has the name already.
	// Remedy: take another name, or revoke the other key first.
	KeyNameTaken Code = "KeyNameTaken"
	// KeyNotFound (class NotFound): no good key has this name or ID.
	// Remedy: tutti key list.
	KeyNotFound Code = "KeyNotFound"
)
