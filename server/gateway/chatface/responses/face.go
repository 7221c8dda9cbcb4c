package responses

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/chatface"
)

// Keys is what the package needs of the gateway's keys; *apikeys.Guard has it.
type Keys interface {
	// Required reports whether requests need a key. Without one there is no owner to keep a response
	// for.
	Required() bool
	// Use checks a token for a use that takes nothing from the limits of its key.
	Use(ctx context.Context, token, route, from string) error
	// Owner returns the key that a token belongs to.
	Owner(token string) apikeys.Hash
}

// Options make a Face. Zero fields get defaults.
type Options struct {
	// Keys are the gateway's; nil keeps no response.
	Keys Keys
	// Limits bound the responses that are kept.
	Limits StoreLimits
	// Now is the clock, Rand the source of unguessable IDs.
	Now  func() time.Time
	Rand io.Reader
}

// Face is OpenAI's Responses API. It is safe for concurrent use.
type Face struct {
	opt  Options
	kept *Store
	// sending counts the readers of what is kept, expanding the requests that go on from it.
	sending, expanding perKey
}

var _ chatface.Face = (*Face)(nil) // Read-only.

// New makes a Face that keeps nothing yet.
func New(opt Options) *Face {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Rand == nil {
		opt.Rand = rand.Reader
	}
	return &Face{opt: opt, kept: NewStore(opt.Limits, opt.Now), sending: perKey{most: maxSending},
		expanding: perKey{most: 1}}
}

// owner returns the owner of what a request makes; false where the gateway has no keys.
func (f *Face) owner(r *http.Request) (Owner, bool) {
	token := apikeys.BearerToken(r.Header.Get("Authorization"))
	if f.opt.Keys == nil || !f.opt.Keys.Required() || token == "" {
		return Owner{}, false
	}
	return f.opt.Keys.Owner(token), true
}

// idBytes are the random bytes of an ID.
const idBytes = 24

// newID returns what the IDs of a response and its items have in common.
func (f *Face) newID() (string, error) {
	var b [idBytes]byte
	if _, err := io.ReadFull(f.opt.Rand, b[:]); err != nil {
		return "", fmt.Errorf("make a response ID: %w", err)
	}
	return hex.EncodeToString(b[:]), nil
}

// words are OpenAI's codes where it has one for a fault. Read-only.
var words = map[string]string{
	string(fault.PreviousResponseUnknown): "previous_response_not_found",
}

// Error passes the gateway's error on: the API's errors have the same form.
func (f *Face) Error(_ int, openAI []byte) (mime string, body []byte) {
	var in struct {
		Error map[string]json.RawMessage `json:"error"`
	}
	if json.Unmarshal(openAI, &in) != nil || in.Error == nil {
		return mimeJSON, openAI
	}
	var code string
	_ = json.Unmarshal(in.Error["code"], &code) // a code that is no word has no other
	word, ok := words[code]
	if !ok {
		return mimeJSON, openAI
	}
	in.Error["code"] = appendString(nil, word)
	b, err := json.Marshal(in)
	if err != nil {
		return mimeJSON, openAI
	}
	return mimeJSON, b
}

const (
	mimeJSON   = "application/json"
	mimeEvents = "text/event-stream"
)
