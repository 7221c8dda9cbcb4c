package airouting

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"

	"github.com/tuttinode/tutti/core"
)

// endpoint is the parsed form of a service URI.
type endpoint struct{ scheme, host, port string }

func endpointOf(uri string) endpoint {
	u, err := url.Parse(uri)
	if err != nil {
		return endpoint{}
	}
	return endpoint{u.Scheme, strings.ToLower(u.Hostname()), u.Port()}
}

// Provider names orchestrators as a client knows them: by the account that owns them, by a service URI,
// or by a host. The zero value names none.
type Provider struct {
	account core.Address
	// at is the address; scheme and port are empty where the client leaves them open.
	at endpoint
}

var errProvider = errors.New("no orchestrator: an account 0x…, a service URI or a host is expected")

// maxProvider bounds a name, in bytes.
const maxProvider = 256

// ParseProvider reads the name of an orchestrator: "0x…", "https://host:8935", "host:8935" or "host". A
// single word is no host: the providers of other routers have such names.
func ParseProvider(text string) (Provider, error) {
	if len(text) > maxProvider {
		return Provider{}, errProvider
	}
	if strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X") {
		a, err := core.ParseAddress(text)
		if err != nil || a.IsZero() {
			return Provider{}, errProvider
		}
		return Provider{account: a}, nil
	}
	full := text
	if ip, err := netip.ParseAddr(text); err == nil && ip.Is6() {
		full = "[" + text + "]"
	}
	if !strings.Contains(full, "://") {
		full = "//" + full
	}
	u, err := url.Parse(strings.TrimSuffix(full, "/"))
	switch {
	case err != nil, u.Scheme != "" && u.Scheme != "https" && u.Scheme != "http", u.Hostname() == "",
		u.User != nil, u.RawQuery != "", u.Fragment != "", u.Path != "":
		return Provider{}, errProvider
	}
	at := endpoint{u.Scheme, strings.ToLower(u.Hostname()), u.Port()}
	if at.scheme == "" && at.port == "" && !strings.ContainsAny(at.host, ".:") && at.host != "localhost" {
		return Provider{}, errProvider
	}
	return Provider{at: at}, nil
}

// matches reports whether an orchestrator is meant. An account counts where it registered the address that
// led to the orchestrator: every peer may claim another's.
func (p Provider) matches(c *candidate) bool {
	if !p.account.IsZero() {
		return c.offer.Registered && c.offer.Owner == p.account
	}
	at := &c.at
	return p.at.host != "" && at.host == p.at.host && (p.at.scheme == "" || p.at.scheme == at.scheme) &&
		(p.at.port == "" || p.at.port == at.port)
}

// claimedBy is matches for exclusions: a claimed account counts as well.
func (p Provider) claimedBy(c *candidate) bool {
	return p.matches(c) || !p.account.IsZero() && c.offer.Owner == p.account
}
