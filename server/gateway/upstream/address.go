package upstream

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
)

// defaultPort is the network's.
const defaultPort = "8935"

var errAddress = errors.New("orchestrator address")

// ParseAddress turns what operators write for an orchestrator ("host",
// "host:port", "https://host:port/") into a service URI without trailing slash.
func ParseAddress(text string) (string, error) {
	text = strings.TrimSpace(text)
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	u, err := url.Parse(strings.TrimRight(text, "/"))
	switch {
	case err != nil:
		return "", fmt.Errorf("%w: %w", errAddress, err)
	case u.Scheme != "https" && u.Scheme != "http":
		return "", fmt.Errorf("%w: scheme %q is neither https nor http", errAddress, u.Scheme)
	case u.Hostname() == "":
		return "", fmt.Errorf("%w: no host", errAddress)
	case u.User != nil, u.RawQuery != "", u.Fragment != "", u.Path != "":
		return "", fmt.Errorf("%w: only host and port are taken, as in https://%s", errAddress, u.Host)
	}
	port := u.Port()
	if port == "" {
		port = defaultPort
	}
	return u.Scheme + "://" + net.JoinHostPort(u.Hostname(), port), nil
}

// ParseAddresses reads a comma list. Empty elements do not count, repeated ones
// count once.
func ParseAddresses(list string) ([]string, error) {
	var out []string
	seen := map[string]bool{}
	for text := range strings.SplitSeq(list, ",") {
		if strings.TrimSpace(text) == "" {
			continue
		}
		uri, err := ParseAddress(text)
		if err != nil {
			return nil, err
		}
		if !seen[uri] {
			seen[uri] = true
			out = append(out, uri)
		}
	}
	return out, nil
}
