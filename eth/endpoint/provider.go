package endpoint

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/core"
)

// provider identifies the operator of an endpoint, as far as the address shows. Several addresses of one
// host, such as https and wss of one provider, are one vote.
type provider string

// providerOf returns the host of a URL; with the port where different servers may listen behind one name: on this
// machine, and at an IP address.
func providerOf(u *url.URL) provider {
	host, port := strings.TrimSuffix(strings.ToLower(u.Hostname()), "."), u.Port()
	if _, err := netip.ParseAddr(host); err != nil && host != "localhost" {
		return provider(host)
	}
	if port == "" {
		port = "80"
		if u.Scheme == "https" || u.Scheme == "wss" {
			port = "443"
		}
	}
	return provider(host + " " + port)
}

// countProviders counts the providers of a list.
func countProviders[T any](all []T, from func(T) *remote) int {
	seen := make(map[provider]bool)
	for _, one := range all {
		seen[from(one).addr.provider] = true
	}
	return len(seen)
}

// ByHost groups addresses of one provider, in their order. An invalid address gets a group of its own.
func ByHost(urls []core.Secret) (groups [][]core.Secret) {
	at := make(map[provider]int)
	for _, u := range urls {
		a, err := parseAddress(Endpoint{URL: u})
		i, known := at[a.provider]
		if err != nil || !known {
			i = len(groups)
			groups = append(groups, nil)
		}
		if err == nil {
			at[a.provider] = i
		}
		groups[i] = append(groups[i], u)
	}
	return groups
}

func identity(r *remote) *remote { return r }

func (t *tally[T]) votes(group []ballot[T]) int {
	return countProviders(group, func(b ballot[T]) *remote { return b.from })
}

// providersFirst puts the first endpoint of each provider before all others, and otherwise keeps the order.
func providersFirst(all []*remote) []*remote {
	seen := make(map[provider]bool)
	var first, further []*remote
	for _, r := range all {
		if seen[r.addr.provider] {
			further = append(further, r)
			continue
		}
		seen[r.addr.provider] = true
		first = append(first, r)
	}
	return slices.Concat(first, further)
}

// onePerProvider keeps one answer of each provider: of several, the first that has the value.
func onePerProvider[T any](answers []sighting[T]) (out []sighting[T]) {
	at := make(map[provider]int)
	for _, one := range answers {
		i, seen := at[one.from.addr.provider]
		switch {
		case !seen:
			at[one.from.addr.provider] = len(out)
			out = append(out, one)
		case out[i].value == nil:
			out[i] = one
		}
	}
	return out
}
