package fetchurl

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/tuttinode/tutti/core"
)

// Policy says which addresses in requests a model server may be given.
type Policy int

const (
	// Fetch permits data: addresses. Images of the internet that a chat names are
	// fetched by the node, which gives the server a data: address in place of theirs.
	Fetch Policy = iota
	// DataOnly permits data: addresses, which hold what they stand for, and nothing
	// that is fetched.
	DataOnly
	// PublicHosts permits http and https at hosts of the internet as well.
	PublicHosts
	// Any permits every address.
	Any
)

// ParsePolicy reads "fetch", "data", "public" or "any".
func ParsePolicy(text string) (Policy, bool) {
	for p, name := range policyNames() {
		if text == name {
			return Policy(p), true
		}
	}
	return 0, false
}

func policyNames() []string { return []string{"fetch", "data", "public", "any"} }

// String returns the policy as ParsePolicy reads it.
func (p Policy) String() string { return policyNames()[p] }

// maxURL is the longest address that is looked at, in bytes. Those of data: are not.
const maxURL = 8 << 10

// Resolver finds the addresses of a host's name.
type Resolver func(ctx context.Context, host string) ([]netip.Addr, error)

// Check says what keeps an address from being given to a server, nil for nothing.
// resolve resolves names; nil accepts names of the internet without a lookup.
//
// A name may resolve to another address when the server looks it up, and a server
// may follow redirects: only Fetch and DataOnly prevent both.
func (p Policy) Check(ctx context.Context, address string, resolve Resolver) error {
	if p == Any || IsData(address) {
		return nil
	}
	switch p {
	case Fetch:
		const why = "is to be fetched, and only images in the image_url of a chat are fetched here"
		return fmt.Errorf("%s "+why, showAddress(address))
	case DataOnly:
		return fmt.Errorf("%s is to be fetched, and only data: addresses are taken here", showAddress(address))
	}
	if err := CheckPublic(ctx, address, resolve); err != nil {
		return fmt.Errorf("%s: %w", showAddress(address), err)
	}
	return nil
}

// CheckPublic says what keeps an address from being one of http or https at a host of
// the internet, nil for nothing. Of the address the error names the host alone. resolve
// is as in Check.
func CheckPublic(ctx context.Context, address string, resolve Resolver) error {
	host, err := hostOf(address)
	if err != nil {
		return err
	}
	if ip, ok := literal(host); ok {
		return permit(host, ip)
	}
	if why := notPublicReason(host); why != "" {
		return fmt.Errorf("the host %s %s", show(host), why)
	}
	if resolve == nil {
		return nil
	}
	found, err := resolve(ctx, host)
	if err != nil || len(found) == 0 {
		return fmt.Errorf("the host %s is not found", host)
	}
	for _, ip := range found {
		if err := permit(host, ip); err != nil {
			return err
		}
	}
	return nil
}

// permit refuses what is not public. It does not say what a name led to, which would
// tell strangers about the operator's network.
func permit(host string, ip netip.Addr) error {
	if core.PublicAddress(ip) {
		return nil
	}
	return fmt.Errorf("the host %s is not of the internet", show(host))
}

// IsData reports whether an address holds what it stands for.
func IsData(address string) bool {
	const scheme = "data:"
	return len(address) >= len(scheme) && strings.EqualFold(address[:len(scheme)], scheme)
}

// hostOf returns the host of an address that every program reads the same way.
func hostOf(address string) (string, error) {
	if len(address) > maxURL {
		return "", errors.New("it is too long")
	}
	if strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '\\' }) {
		return "", errors.New("it holds characters that an address cannot have")
	}
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return "", errors.New("it is no address that can be read")
	case u.Scheme != "http" && u.Scheme != "https":
		return "", errors.New("it is neither http, https nor data")
	case u.User != nil || strings.Contains(u.Host, "@"):
		return "", errors.New("it names a user")
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if host == "" || strings.Contains(host, "%") {
		return "", errors.New("it names no host")
	}
	return host, nil
}

// showAddress returns the beginning of an address without its query and what follows, which
// may hold a secret: messages are logged.
func showAddress(address string) string {
	if i := strings.IndexAny(address, "?#"); i >= 0 {
		address = address[:i] + "…"
	}
	return show(address)
}

// show returns the beginning of a text of others, fit for a message.
func show(text string) string {
	const most = 80
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return fmt.Sprintf("%q", text)
}
