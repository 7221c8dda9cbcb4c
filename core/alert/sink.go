package alert

import (
	"fmt"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/tuttinode/tutti/core"
)

// Kind is the protocol of a sink.
type Kind string

// The kinds of sinks.
const (
	Webhook Kind = "webhook"
	Slack   Kind = "slack"
	Discord Kind = "discord"
	Ntfy    Kind = "ntfy"
	Exec    Kind = "exec"
)

// Sink is a destination of alerts. Its address is a secret: it grants permission to post.
type Sink struct {
	Kind    Kind
	Address core.Secret
	// Name is the kind and the host, or the program's name: what logs and pages show.
	Name string
}

// maxSinks limits the sinks.
const maxSinks = 16

// Mistake is what is wrong with one address. Its text contains no part of the address.
type Mistake struct {
	// Number is the address's position in the list, from 1.
	Number       int
	Text, Remedy string
}

// Error returns the text.
func (m *Mistake) Error() string { return fmt.Sprintf("address %d: %s", m.Number, m.Text) }

// Parse parses a list of addresses, separated by commas or line breaks; # begins a comment
// line. The error is a *Mistake.
func Parse(list string) ([]Sink, error) {
	var out []Sink
	for line := range strings.Lines(list) {
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		for entry := range strings.SplitSeq(line, ",") {
			if entry = strings.TrimSpace(entry); entry == "" {
				continue
			}
			if len(out) == maxSinks {
				return nil, &Mistake{len(out) + 1, fmt.Sprintf("there are more than %d", maxSinks),
					"give fewer, and let one of them forward to the others"}
			}
			s, m := parse(entry)
			if m != nil {
				m.Number = len(out) + 1
				return nil, m
			}
			out = append(out, s)
		}
	}
	for i := range out {
		out[i].Name = unique(out[:i], out[i].Name)
	}
	return out, nil
}

// unique makes a name that no previous sink has.
func unique(before []Sink, name string) string {
	try := name
	for n := 2; ; n++ {
		taken := false
		for i := range before {
			taken = taken || before[i].Name == try
		}
		if !taken {
			return try
		}
		try = fmt.Sprintf("%s (%d)", name, n)
	}
}

const write = "write https://HOST/PATH, slack+https://…, discord+https://…, ntfy+https://HOST/TOPIC or exec:/PATH"

func parse(entry string) (Sink, *Mistake) {
	if path, ok := strings.CutPrefix(entry, "exec:"); ok {
		return parseExec(path)
	}
	scheme, rest, ok := strings.Cut(entry, "://")
	if !ok {
		return Sink{}, &Mistake{Text: "it is neither an address nor a file that exists", Remedy: write}
	}
	kind, transport := Webhook, scheme
	if k, t, plus := strings.Cut(scheme, "+"); plus {
		kind, transport = Kind(k), t
	}
	switch kind {
	case Webhook, Slack, Discord, Ntfy:
	default:
		return Sink{}, &Mistake{Text: "its kind is unknown", Remedy: write}
	}
	u, err := url.Parse(transport + "://" + rest)
	if err != nil || u.Hostname() == "" {
		return Sink{}, &Mistake{Text: "it is no valid URL", Remedy: write}
	}
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return Sink{}, &Mistake{Text: "it has another scheme than https", Remedy: write}
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return Sink{}, &Mistake{Text: "http would send the address's secret in the clear",
			Remedy: "write https; http is for services of this machine"}
	case u.Fragment != "":
		return Sink{}, &Mistake{Text: "it has a part behind #, which is not sent", Remedy: "leave that part out"}
	case kind == Ntfy && len(strings.Trim(u.Path, "/")) == 0:
		return Sink{}, &Mistake{Text: "the topic is missing", Remedy: "write ntfy+https://HOST/TOPIC"}
	}
	return Sink{Kind: kind, Address: core.NewSecret(u.String()), Name: string(kind) + " " + u.Host}, nil
}

func parseExec(path string) (Sink, *Mistake) {
	path = strings.TrimPrefix(path, "//")
	if !filepath.IsAbs(path) {
		return Sink{}, &Mistake{Text: "the program's path is not absolute",
			Remedy: "write exec:/PATH/TO/PROGRAM; it is started without arguments and without a shell"}
	}
	return Sink{Kind: Exec, Address: core.NewSecret(path), Name: string(Exec) + " " + filepath.Base(path)}, nil
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}
