package health

import (
	"fmt"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/tuttinode/tutti/core"
)

// SinkKind is the protocol of a sink.
type SinkKind string

// The kinds of sinks.
const (
	WebhookSink SinkKind = "webhook"
	SlackSink   SinkKind = "slack"
	DiscordSink SinkKind = "discord"
	NtfySink    SinkKind = "ntfy"
	ExecSink    SinkKind = "exec"
)

// AlertSink is a destination of alerts. Its address is a secret: it grants permission to post.
type AlertSink struct {
	Kind    SinkKind
	Address core.Secret
	// Name is the kind and the host, or the program's name: what logs and pages show.
	Name string
}

// maxSinks limits the sinks.
const maxSinks = 16

// SinkMistake is what is wrong with one address. Its text contains no part of the address.
type SinkMistake struct {
	// Number is the address's position in the list, from 1.
	Number       int
	Text, Remedy string
}

// Error returns the text.
func (m *SinkMistake) Error() string { return fmt.Sprintf("address %d: %s", m.Number, m.Text) }

// ParseSinks parses a list of addresses, separated by commas or line breaks; # begins a comment
// line. The error is a *Mistake.
func ParseSinks(list string) ([]AlertSink, error) {
	var out []AlertSink
	for line := range strings.Lines(list) {
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		for entry := range strings.SplitSeq(line, ",") {
			if entry = strings.TrimSpace(entry); entry == "" {
				continue
			}
			if len(out) == maxSinks {
				return nil, &SinkMistake{len(out) + 1, fmt.Sprintf("there are more than %d", maxSinks),
					"give fewer, and let one of them forward to the others"}
			}
			s, m := parseSink(entry)
			if m != nil {
				m.Number = len(out) + 1
				return nil, m
			}
			out = append(out, s)
		}
	}
	for i := range out {
		out[i].Name = uniqueSink(out[:i], out[i].Name)
	}
	return out, nil
}

// uniqueSink makes a name that no previous sink has.
func uniqueSink(before []AlertSink, name string) string {
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

const sinkForms = "write https://HOST/PATH, slack+https://…, discord+https://…, ntfy+https://HOST/TOPIC or exec:/PATH"

func parseSink(entry string) (AlertSink, *SinkMistake) {
	if path, ok := strings.CutPrefix(entry, "exec:"); ok {
		return parseExec(path)
	}
	scheme, rest, ok := strings.Cut(entry, "://")
	if !ok {
		return AlertSink{}, &SinkMistake{Text: "it is neither an address nor a file that exists", Remedy: sinkForms}
	}
	kind, transport := WebhookSink, scheme
	if k, t, plus := strings.Cut(scheme, "+"); plus {
		kind, transport = SinkKind(k), t
	}
	switch kind {
	case WebhookSink, SlackSink, DiscordSink, NtfySink:
	default:
		return AlertSink{}, &SinkMistake{Text: "its kind is unknown", Remedy: sinkForms}
	}
	u, err := url.Parse(transport + "://" + rest)
	if err != nil || u.Hostname() == "" {
		return AlertSink{}, &SinkMistake{Text: "it is no valid URL", Remedy: sinkForms}
	}
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return AlertSink{}, &SinkMistake{Text: "it has another scheme than https", Remedy: sinkForms}
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return AlertSink{}, &SinkMistake{Text: "http would send the address's secret in the clear",
			Remedy: "write https; http is for services of this machine"}
	case u.Fragment != "":
		return AlertSink{}, &SinkMistake{Text: "it has a part behind #, which is not sent", Remedy: "leave that part out"}
	case kind == NtfySink && len(strings.Trim(u.Path, "/")) == 0:
		return AlertSink{}, &SinkMistake{Text: "the topic is missing", Remedy: "write ntfy+https://HOST/TOPIC"}
	}
	return AlertSink{Kind: kind, Address: core.NewSecret(u.String()), Name: string(kind) + " " + u.Host}, nil
}

func parseExec(path string) (AlertSink, *SinkMistake) {
	path = strings.TrimPrefix(path, "//")
	if !filepath.IsAbs(path) {
		return AlertSink{}, &SinkMistake{Text: "the program's path is not absolute",
			Remedy: "write exec:/PATH/TO/PROGRAM; it is started without arguments and without a shell"}
	}
	return AlertSink{Kind: ExecSink, Address: core.NewSecret(path), Name: string(ExecSink) + " " + filepath.Base(path)},
		nil
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}
