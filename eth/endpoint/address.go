package endpoint

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// address is a parsed URL, its name for display and its redactor.
type address struct {
	url      *url.URL
	name     string
	redactor redactor
	// provider is the endpoint's vote in a quorum: one per provider.
	provider provider
}

// parseAddress reads an endpoint's URL. The error never repeats it.
func parseAddress(e Endpoint) (address, error) {
	u, err := url.Parse(strings.TrimSpace(e.URL.Reveal()))
	if err != nil || u.Host == "" {
		return address{}, fault.New(fault.RPCURLInvalid, "read -ethUrl", "an address is not a URL with scheme and host")
	}
	u.Scheme = strings.ToLower(u.Scheme)
	switch u.Scheme {
	case "http", "https", "ws", "wss":
	default:
		return address{}, fault.New(fault.RPCURLInvalid, "read -ethUrl",
			"an address begins with none of http://, https://, ws://, wss://")
	}
	u.Fragment, u.RawFragment = "", ""
	name := e.Name
	if name == "" {
		name = u.Scheme + "://" + u.Host
	}
	return address{url: u, name: name, redactor: newRedactor(u), provider: providerOf(u)}, nil
}

// parseAddresses reads all; endpoints of one name are numbered, so that
// conditions and logs tell them apart.
func parseAddresses(endpoints []Endpoint) ([]address, error) {
	seen := make(map[string]int)
	out := make([]address, 0, len(endpoints))
	for _, e := range endpoints {
		to, err := parseAddress(e)
		if err != nil {
			return nil, err
		}
		seen[to.name]++
		if n := seen[to.name]; n > 1 {
			to.name = fmt.Sprintf("%s (%d)", to.name, n)
		}
		out = append(out, to)
	}
	return out, nil
}

// isWebsocket reports whether the address is one.
func (a address) isWebsocket() bool { return a.url.Scheme == "ws" || a.url.Scheme == "wss" }
