package access

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
)

// Mode is the operator's choice for streams.
type Mode string

// What streams need.
const (
	// Auto: nothing on this machine, a key or a signed address elsewhere.
	Auto Mode = "auto"
	// Open: nothing anywhere.
	Open Mode = "open"
	// Keys: a key or a signed address everywhere.
	Keys Mode = "keys"
)

// KeyRing checks API keys; apikeys.Guard is one.
type KeyRing interface {
	// Required reports whether there are keys at all.
	Required() bool
	// Use refuses a token of a client at an address with a fault that says why.
	Use(ctx context.Context, token, route, from string) error
}

// Options make a Policy.
type Options struct {
	// Listen is the gateway's address, Hosts are further names it may be called by.
	Listen string
	Hosts  []string
	Mode   Mode
	// Keys are the gateway's; nil has none.
	Keys KeyRing
	// Links signs addresses; nil signs none.
	Links *Links
	// WebhookPushes: a webhook decides about each new stream, so pushes need no key.
	WebhookPushes bool
	// OpenPushes: the operator allowed pushes from everywhere. It has no effect once there is a key.
	OpenPushes bool
}

// Policy decides about requests. It is safe for concurrent use; nil permits everything.
type Policy struct {
	opt   Options
	hosts Hosts
	// local: only this machine reaches the listener.
	local bool
}

// New makes a Policy.
func New(opt Options) *Policy {
	host, _, err := net.SplitHostPort(opt.Listen)
	return &Policy{opt: opt, hosts: NewHosts(opt.Listen, opt.Hosts), local: err == nil &&
		IsLoopback(host)}
}

// op is the operation of all faults here.
const op = "take request"

// Machine returns why a request is not from this machine; nil if it is. Errors are the faults
// GatewayHostRefused, GatewayCrossSite and StreamKeyRequired; the latter is for requests of other
// machines.
func (p *Policy) Machine(r *http.Request) error {
	if p == nil {
		return nil
	}
	_, own := Client(r)
	switch {
	case !own:
		return fault.New(fault.StreamKeyRequired, op, "the request comes from another machine")
	case !p.hosts.Allow(r.Host):
		return hostRefused()
	case Forwarded(r):
		return fault.New(fault.StreamKeyRequired, op, "the request comes through a proxy, as its headers say")
	case CrossSite(r) || r.Method != http.MethodGet && r.Method != http.MethodHead && CrossSiteReferer(r):
		return fault.New(fault.GatewayCrossSite, op, "a page of another site may not use this without a key")
	}
	return nil
}

func hostRefused() error {
	return fault.New(fault.GatewayHostRefused, op, "the Host header names another host than this gateway")
}

// Streams decides about the list of streams and the signing of addresses. Errors are faults of
// Machine and of the keys. keyed says that a key was used: returned addresses have to be signed
// then.
func (p *Policy) Streams(r *http.Request) (keyed bool, err error) {
	if p == nil {
		return false, nil
	}
	err = p.withoutKey(r)
	if err == nil {
		return false, nil
	}
	return true, p.key(r, err)
}

// Owner decides about requests that make this gateway connect elsewhere. In every Mode it admits only requests of the
// own machine, and those with an API key. machine reports whether it is this machine's.
func (p *Policy) Owner(r *http.Request) (machine bool, err error) {
	err = p.Machine(r)
	if err == nil {
		return true, nil
	}
	return false, p.key(r, err)
}

// Play decides about a stream's playlists, segments and events. The returned query is to be added
// to the addresses in playlists.
func (p *Policy) Play(r *http.Request, id core.ManifestID, now time.Time) (query string, err error) {
	if p == nil {
		return "", nil
	}
	link, linked := linkOf(r.URL.RawQuery)
	if linked {
		if err = p.opt.Links.check(id, link, now); err == nil {
			return link.query(), nil
		}
	}
	refused := p.withoutKey(r)
	switch {
	case refused == nil:
		return "", nil
	case linked && r.Header.Get("Authorization") == "":
		return "", err
	}
	return "", p.key(r, refused)
}

// Push decides about a segment. key identifies the key that was used, by its hash; "" is a push
// that needed none. If every client may push, a valid key is recognized all the same.
func (p *Policy) Push(r *http.Request) (key string, err error) {
	if p == nil || p.opt.WebhookPushes {
		return "", nil
	}
	err = p.withoutKey(r)
	switch everyone := p.openPushes() && (err == nil || p.opt.Mode == Auto); {
	case everyone:
		if !p.required() || p.key(r, errNoKey) != nil {
			return "", nil // it may push, but as an unchecked client
		}
	case err == nil:
		return "", nil
	default:
		if err := p.key(r, err); err != nil {
			return "", err
		}
	}
	return keyOf(r), nil
}

// errNoKey is for requests that need no key and have none.
var errNoKey = errors.New("no key")

// openPushes reports whether any client may push without a key.
func (p *Policy) openPushes() bool {
	return p.opt.Mode == Open || p.opt.OpenPushes && p.opt.Mode == Auto && !p.required()
}

// Unchecked reports whether any client may push without a key or a webhook, and the push with this
// key has none. A key that is only claimed in a header does not count.
func (p *Policy) Unchecked(key string) bool {
	return p != nil && !p.opt.WebhookPushes && key == "" && p.openPushes()
}

// withoutKey admits a request for a stream that needs no key. The error says why it needs one.
func (p *Policy) withoutKey(r *http.Request) error {
	switch {
	case p.opt.Mode == Keys:
		return fault.New(fault.StreamKeyRequired, op, "every request for a stream needs a key here")
	case p.opt.Mode != Open:
		return p.Machine(r)
	case p.local && !p.hosts.Allow(r.Host):
		// Open to every client of the listener; a page of another site uses its own host name.
		return hostRefused()
	}
	return nil
}

// key admits a request with a valid key. A request without a key is refused with why.
func (p *Policy) key(r *http.Request, why error) error {
	token := apikeys.BearerToken(r.Header.Get("Authorization"))
	if token == "" {
		return why
	}
	if !p.required() {
		return fault.New(fault.StreamKeyRequired, op, "this gateway has no API keys yet, so it serves only its own machine")
	}
	from, _ := Client(r)
	return p.opt.Keys.Use(r.Context(), token, r.URL.Path, from)
}

func (p *Policy) required() bool { return p.opt.Keys != nil && p.opt.Keys.Required() }

// Link signs the playlist of a stream; ok is false where nothing is signed.
func (p *Policy) Link(id core.ManifestID, expires time.Time) (query string, ok bool) {
	if p == nil || p.opt.Links == nil {
		return "", false
	}
	return p.opt.Links.sign(id, expires).query(), true
}
