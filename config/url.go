package config

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"slices"
	"strings"
)

// URL is an address of an outside service. Such addresses carry keys in their
// user part, path and query, so everything but scheme and host is masked when it
// is printed; Reveal gives the whole address. For the pointer see Secret.
type URL struct{ raw *string }

var (
	errURLForm   = errors.New("not a URL with a scheme and a host")
	errURLScheme = errors.New("a URL of another kind")
)

// ParseURL reads an absolute URL. With schemes given it must have one of them.
// Errors never repeat the text.
func ParseURL(s string, schemes ...string) (URL, error) {
	u, err := url.Parse(s)
	if err != nil || u.Scheme == "" || u.Host == "" {
		return URL{}, errURLForm
	}
	if len(schemes) > 0 && !slices.Contains(schemes, strings.ToLower(u.Scheme)) {
		return URL{}, fmt.Errorf("%w: it must begin with %s", errURLScheme, strings.Join(schemes, "://, ")+"://")
	}
	return URL{&s}, nil
}

// Reveal returns the whole address. What it returns must not be logged.
func (u URL) Reveal() string {
	if u.raw == nil {
		return ""
	}
	return *u.raw
}

// IsZero reports whether there is no address.
func (u URL) IsZero() bool { return u.raw == nil }

// String shows scheme and host and masks the rest.
func (u URL) String() string {
	if u.IsZero() {
		return ""
	}
	parsed, err := url.Parse(*u.raw)
	if err != nil {
		return masked
	}
	var b strings.Builder
	b.WriteString(parsed.Scheme + "://")
	if parsed.User != nil {
		b.WriteString(masked + "@")
	}
	b.WriteString(parsed.Host)
	switch {
	case strings.Trim(parsed.Path, "/") != "":
		b.WriteString("/" + masked)
	case parsed.Path != "":
		b.WriteString("/")
	}
	if parsed.RawQuery != "" || parsed.Fragment != "" {
		b.WriteString("?" + masked)
	}
	return b.String()
}

// GoString masks like String.
func (u URL) GoString() string { return u.String() }

// Format masks like String, whatever the verb.
func (u URL) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, u.String()) }

// LogValue masks like String.
func (u URL) LogValue() slog.Value { return slog.StringValue(u.String()) }

// MarshalText masks like String; JSON uses it too.
func (u URL) MarshalText() ([]byte, error) { return []byte(u.String()), nil }
