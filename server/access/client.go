package access

import (
	"context"
	"encoding/hex"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/apikeys"
)

// Client identifies the client of a request that was admitted: key is the hash of its valid API key, also where it
// needs none, and machine says that it is this machine.
func (p *Policy) Client(r *http.Request) (key string, machine bool) {
	if p == nil {
		return "", true
	}
	if p.required() && p.key(r, errNoKey) == nil {
		key = keyOf(r)
	}
	return key, p.Machine(r) == nil
}

// Recheck returns what checks the key of an admitted request again, for work that outlives the request.
func (p *Policy) Recheck(r *http.Request) apikeys.Check {
	token, route := apikeys.BearerToken(r.Header.Get("Authorization")), r.URL.Path
	from, _ := Client(r)
	return func(ctx context.Context) error { return p.opt.Keys.Use(ctx, token, route, from) }
}

// Playing returns what checks again what Play admitted a request by, for playback that outlives the request: its signed
// address, or its key. It is nil where Play needed neither.
func (p *Policy) Playing(r *http.Request, id core.ManifestID, now func() time.Time) apikeys.Check {
	if p == nil {
		return nil
	}
	if link, linked := linkOf(r.URL.RawQuery); linked && p.opt.Links.check(id, link, now()) == nil {
		return func(context.Context) error { return p.opt.Links.check(id, link, now()) }
	}
	if key, _ := p.Client(r); key != "" {
		return p.Recheck(r)
	}
	return nil
}

// keyOf is the hash of a request's key.
func keyOf(r *http.Request) string {
	hash := apikeys.HashOf(apikeys.BearerToken(r.Header.Get("Authorization")))
	return hex.EncodeToString(hash[:])
}

// WithoutWebhook is the policy for what the webhook of pushes is not asked about.
func (p *Policy) WithoutWebhook() *Policy {
	if p == nil {
		return nil
	}
	other := *p
	other.opt.WebhookPushes = false
	return &other
}
