package apikeys

import (
	"context"

	"github.com/tuttinode/tutti/core/inference"
)

// NoTokens as Need.MaxTokens says that the answer has no tokens of its own: an
// image, an embedding, the list of models.
const NoTokens inference.Tokens = -1

// Need is what a request needs, as far as a key may limit it.
type Need struct {
	// Model is the model's ID, "" where a request names none.
	Model string
	// Route is the request's address, "/v1/chat/completions".
	Route string
	// URL is the whole address as the client wrote it, for an operator's webhook. It may be empty;
	// the webhook then gets Route.
	URL string
	// From is the client's address; clients of different addresses take turns at the webhook.
	From string
	// Prompt estimates the tokens of everything that the model reads, including tools and images;
	// MaxPrompt is an upper bound. 0 is unknown.
	Prompt, MaxPrompt inference.Tokens
	// MaxTokens bounds the tokens of the answer, over all choices; 0 if the request has no bound,
	// NoTokens if the answer has no tokens.
	MaxTokens inference.Tokens
	// Answers is the number of choices; 0 is one.
	Answers int
}

// Authorizer decides about requests.
//
// Admit looks the bearer token up and takes what the request needs from the key's limits. Errors
// are faults: KeyMissing, KeyUnknown, KeyRevoked, KeyExpired, KeyDenied, ModelNotAllowed,
// RequestAboveLimit, BudgetSpent, RateLimited, TokenRateLimited, ConcurrencyLimited,
// KeyWebhookFailed; RetryAfter gives the time to come back. The caller settles the Grant.
//
// Permits checks a further model of a request that was admitted for another one, and takes nothing from the limits: the
// webhook gets a request about each model. Errors are those of Admit.
//
// Known checks a token before the request's needs are known, without calling the webhook and
// without taking anything: nil, or the error that Admit would return for any need. With it,
// requests with bad tokens are refused before their bodies are read.
//
// Verified reports whether a token is listed, or the webhook admitted it before. A token that Known
// accepts and that is not verified is unverified until Admit has returned.
//
// Required reports whether a request needs a key at all. While no key, key file or webhook is
// configured, Admit admits everything under the key "".
type Authorizer interface {
	Admit(ctx context.Context, token string, need Need) (*Grant, error)
	Permits(ctx context.Context, token string, need Need) error
	Known(token string) error
	Verified(token string) bool
	Required() bool
}

// Store keeps keys and their use. It is safe for concurrent use.
//
// Load returns every key, including revoked ones, and every count. SaveUsage replaces the counts of
// the given keys and leaves the others; it is all or nothing. Errors are faults of code
// KeyStoreFailed.
type Store interface {
	Load(ctx context.Context) ([]Key, []Usage, error)
	SaveUsage(ctx context.Context, usage []Usage) error
}

// Decider decides about tokens that are not listed: the operator's webhook.
//
// Decide returns the key of the token; the caller sets its ID and Hash. Errors are the faults
// KeyUnknown, KeyDenied, BudgetSpent and RateLimited, which are remembered for some seconds, and
// KeyWebhookFailed, which is not.
type Decider interface {
	Decide(ctx context.Context, token string, need Need) (Key, error)
}
