package endpoint

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/core"
)

// voice is whose word an endpoint's answer is: its provider, as far as the address tells.
// Several addresses of one host, as https and wss of the same provider, are further ways to
// it and no further witnesses.
type voice string

// voiceOf is the host of a URL; with the port where different things may listen behind one
// name: on this machine, and at an IP address.
func voiceOf(u *url.URL) voice {
	host, port := strings.TrimSuffix(strings.ToLower(u.Hostname()), "."), u.Port()
	if _, err := netip.ParseAddr(host); err != nil && host != "localhost" {
		return voice(host)
	}
	if port == "" {
		port = "80"
		if u.Scheme == "https" || u.Scheme == "wss" {
			port = "443"
		}
	}
	return voice(host + " " + port)
}

// voices counts those whose word the answers of endpoints are.
func voices[T any](all []T, from func(T) *remote) int {
	heard := make(map[voice]bool)
	for _, one := range all {
		heard[from(one).to.voice] = true
	}
	return len(heard)
}

// ByHost groups addresses whose answers are one provider's word, in their order. What is no
// address has a group of its own.
func ByHost(urls []core.Secret) (groups [][]core.Secret) {
	at := make(map[voice]int)
	for _, u := range urls {
		a, err := parseAddress(Endpoint{URL: u})
		i, known := at[a.voice]
		if err != nil || !known {
			i = len(groups)
			groups = append(groups, nil)
		}
		if err == nil {
			at[a.voice] = i
		}
		groups[i] = append(groups[i], u)
	}
	return groups
}

func itself(r *remote) *remote { return r }

func (t *tally[T]) voices(group []ballot[T]) int {
	return voices(group, func(b ballot[T]) *remote { return b.from })
}

// apart puts the first endpoint of each voice before all others, and leaves them in their
// order otherwise.
func apart(all []*remote) []*remote {
	heard := make(map[voice]bool)
	var first, further []*remote
	for _, r := range all {
		if heard[r.to.voice] {
			further = append(further, r)
			continue
		}
		heard[r.to.voice] = true
		first = append(first, r)
	}
	return slices.Concat(first, further)
}

// single leaves one answer of each voice: of several, the first that has the thing.
func single[T any](said []seen[T]) (out []seen[T]) {
	at := make(map[voice]int)
	for _, one := range said {
		i, heard := at[one.from.to.voice]
		switch {
		case !heard:
			at[one.from.to.voice] = len(out)
			out = append(out, one)
		case out[i].thing == nil:
			out[i] = one
		}
	}
	return out
}
