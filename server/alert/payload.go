package alert

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// document is the JSON of a plain webhook and of a program's standard input. It is a
// contract, docs/alerts.md.
type document struct {
	State    string    `json:"state"`
	Severity string    `json:"severity"`
	Code     string    `json:"code"`
	About    string    `json:"about,omitempty"`
	Node     string    `json:"node"`
	Summary  string    `json:"summary"`
	Detail   string    `json:"detail"`
	Cause    string    `json:"cause"`
	Remedy   string    `json:"remedy"`
	Since    time.Time `json:"since"`
	At       time.Time `json:"at"`
	// Times is how often it occurred within an hour; Dropped how many alerts before this
	// one were dropped.
	Times   int    `json:"times"`
	Dropped int    `json:"dropped,omitempty"`
	Version string `json:"version"`
}

func documentOf(m *Message) document {
	return document{
		State: string(m.State), Severity: m.Severity.String(), Code: string(m.Key.Code), About: m.Key.About,
		Node: m.Node, Summary: summary(m), Detail: m.Detail, Cause: withoutBackticks(m.Cause),
		Remedy: withoutBackticks(m.Remedy),
		Since:  m.Since.UTC(), At: m.At.UTC(), Times: m.Times, Dropped: m.Dropped, Version: m.Version,
	}
}

// suppressEmbeds keeps Discord from fetching URLs of a message.
const suppressEmbeds = 4

// payload returns the request body for a kind of sink.
func payload(kind health.SinkKind, m *Message) (contentType string, body []byte, err error) {
	const jsonType = "application/json"
	switch kind {
	case health.SlackSink:
		body, err = json.Marshal(map[string]any{"text": slackText(m), "unfurl_links": false, "unfurl_media": false})
		return jsonType, body, err
	case health.DiscordSink:
		// A peer's text must not mention users.
		body, err = json.Marshal(map[string]any{
			"content": limit(text(m, "**"), 1900), "flags": suppressEmbeds,
			"allowed_mentions": map[string]any{"parse": []string{}},
		})
		return jsonType, body, err
	case health.NtfySink:
		return "text/plain; charset=utf-8", []byte(limit(text(m, ""), 3800)), nil
	}
	body, err = json.Marshal(documentOf(m))
	return jsonType, body, err
}

// summary returns one line: state, code, object, node.
func summary(m *Message) string {
	s := fmt.Sprintf("%s: %s", m.State, m.Key.Code)
	if m.Key.About != "" {
		s += " (" + clean(m.Key.About) + ")"
	}
	return s + " on " + clean(m.Node)
}

// text returns the message for humans; bold is the markup for bold text.
func text(m *Message, bold string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s%s%s\n", icon(m), bold, oneLine(summary(m)), bold)
	if m.Detail != "" {
		fmt.Fprintf(&b, "%s\n", limit(oneLine(m.Detail), 600))
	}
	switch m.State {
	case health.AlertResolved:
		fmt.Fprintf(&b, "It lasted %s.", m.At.Sub(m.Since).Round(time.Second))
	default:
		fmt.Fprintf(&b, "Since %s. %s\nWhat to do: %s",
			m.Since.UTC().Format("2006-01-02 15:04:05 UTC"), withoutBackticks(m.Cause), withoutBackticks(m.Remedy))
	}
	if m.Times > 1 {
		fmt.Fprintf(&b, "\nIt came %d times within the last hour.", m.Times)
	}
	if m.Dropped > 0 {
		fmt.Fprintf(&b, "\n%d alerts before this one could not be kept.", m.Dropped)
	}
	return b.String()
}

// icon shows the severity.
func icon(m *Message) string {
	switch {
	case m.State == health.AlertResolved:
		return "✅ "
	case m.State == health.AlertTest:
		return "🔔 "
	case m.Severity == fault.Critical:
		return "🔴 "
	}
	return "🟠 "
}

// oneLine makes one line of a text that may quote a peer, and disables Markdown's images
// and links.
func oneLine(s string) string {
	return strings.NewReplacer("![", "! [", "](", "] (").Replace(clean(s))
}

// slackText escapes the characters of Slack's links and mentions. Compatible services also
// accept a bare @channel, which a zero-width space disables.
func slackText(m *Message) string {
	return limit(strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "@", "@\u200b").Replace(text(m, "*")), 3800)
}

// ntfyHeader gives a message its title and priority. A header is one line of ASCII.
func ntfyHeader(h http.Header, m *Message) {
	title := strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII || r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, summary(m))
	h.Set("Title", limit(title, 200))
	switch {
	case m.State == health.AlertResolved, m.State == health.AlertTest:
		h.Set("Priority", "low")
	case m.Severity == fault.Critical:
		h.Set("Priority", "urgent")
	default:
		h.Set("Priority", "default")
	}
	h.Set("Tags", "tutti,"+m.Severity.String())
}

// withoutBackticks removes Markdown's code marks.
func withoutBackticks(s string) string { return strings.ReplaceAll(s, "`", "") }

// limit cuts a text at the start of a character.
func limit(s string, n int) string {
	if len(s) <= n {
		return s
	}
	cut := s[:n]
	for len(cut) > 0 && s[len(cut)]&0xc0 == 0x80 {
		cut = cut[:len(cut)-1]
	}
	return cut + "…"
}
