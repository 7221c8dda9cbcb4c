package apikeys

import (
	"context"

	"github.com/tuttinode/tutti/core/inference"
)

// NoTokens as Need.MaxTokens says that the answer has no tokens of its own: an
// image, an embedding, the list of models.
const NoTokens inference.Tokens = -1

// Need is what a request asks for, as far as a key may limit it.
type Need struct {
	// Model is the model's ID, "" where a request names none.
	Model string
	// Route is the request's address, "/v1/chat/completions".
	Route string
	// URL is the whole address as the client wrote it, for an operator's webhook.
	// It may be empty; the webhook then gets Route.
	URL string
	// From is the client's address; clients at different ones take turns at the webhook.
	From string
	// Prompt is an estimate of the tokens of all that the model reads, tools and pictures
	// too; MostPrompt is what they cannot be more than. 0 is not known.
	Prompt, MostPrompt inference.Tokens
	// MaxTokens is how many tokens the answer may have, over all choices; 0 where
	// the request does not say, NoTokens where there are none.
	MaxTokens inference.Tokens
	// Answers is the number of choices; 0 is one.
	Answers int
}

// Authorizer decides about requests.
//
// Admit looks the bearer token up and takes what the request needs from the
// key's limits. Errors are faults: KeyMissing, KeyUnknown, KeyRevoked,
// KeyExpired, KeyDenied, ModelNotAllowed, RequestAboveLimit, BudgetSpent, RateLimited,
// TokenRateLimited, ConcurrencyLimited, KeyWebhookFailed; RetryAfter tells when
// to come back. Whoever gets a Grant settles it.
//
// Known says of a token what can be said before it is known what the request
// needs, without asking anybody and without taking anything: nil, or the error
// that Admit would give it for whatever need. It keeps strangers from being
// listened to at length.
//
// Proven reports whether a token is on a list, or the webhook admitted it before. What
// Known lets pass and is not proven is a stranger's until Admit says otherwise.
//
// Required reports whether a request needs a key at all. While no key, key file
// or webhook is configured, Admit lets everything in under the key "".
type Authorizer interface {
	Admit(ctx context.Context, token string, need Need) (*Grant, error)
	Known(token string) error
	Proven(token string) bool
	Required() bool
}

// Store keeps keys and how much of them was used. It is safe for concurrent use.
//
// Load returns every key, revoked ones too, and every count. SaveUsage replaces
// the counts of the keys that are given and leaves the others; it is all or
// nothing. Errors are faults of code KeyStoreFailed.
type Store interface {
	Load(ctx context.Context) ([]Key, []Usage, error)
	SaveUsage(ctx context.Context, usage []Usage) error
}

// Decider decides about tokens that no list holds: the operator's webhook.
//
// Decide returns the key that the token stands for; its ID and Hash are set by
// the caller. Errors are faults KeyUnknown, KeyDenied, BudgetSpent, RateLimited,
// which are remembered for some seconds, and KeyWebhookFailed, which is not.
type Decider interface {
	Decide(ctx context.Context, token string, need Need) (Key, error)
}
