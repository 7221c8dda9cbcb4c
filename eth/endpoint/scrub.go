package endpoint

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// shownText bounds how much of a provider's text is kept, in bytes.
const shownText = 200

// hidden stands where a part of the URL was.
const hidden = "***"

// scrubber takes an endpoint's secrets out of texts that its provider wrote:
// error pages love to repeat the address that was asked for.
type scrubber struct{ pieces []string }

// newScrubber collects every part of the URL behind its host, as it is written
// and as it is meant.
func newScrubber(u *url.URL) scrubber {
	var s scrubber
	if u.User != nil {
		password, _ := u.User.Password()
		s.add(u.User.Username(), password, u.User.String())
	}
	s.add(strings.Split(u.Path, "/")...)
	s.add(strings.Split(u.EscapedPath(), "/")...)
	s.add(u.RawQuery)
	for key, values := range u.Query() {
		s.add(key, url.QueryEscape(key))
		for _, value := range values {
			s.add(value, url.QueryEscape(value))
		}
	}
	// The longest first, so that no piece is left because a part of it went before.
	slices.SortFunc(s.pieces, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b)) })
	s.pieces = slices.Compact(s.pieces)
	return s
}

func (s *scrubber) add(pieces ...string) {
	for _, p := range pieces {
		if p != "" {
			s.pieces = append(s.pieces, asciiLower(p))
		}
	}
}

// text is a provider's text on one line, bounded and without secrets.
func (s scrubber) text(raw string) string {
	const read = 4 * shownText
	cut := len(raw) > read
	if cut {
		raw = raw[:read]
	}
	raw = strings.ToValidUTF8(raw, "?")
	raw = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, raw)
	for _, p := range s.pieces {
		raw = replaceFold(raw, p)
	}
	raw = strings.Join(strings.Fields(raw), " ")
	if len(raw) > shownText {
		raw, cut = strings.ToValidUTF8(raw[:shownText], ""), true
	}
	if cut {
		raw += "…"
	}
	return raw
}

// replaceFold hides piece, which is in lower case, wherever it occurs; one of
// fewer than four bytes only where it stands alone, so that "v2" leaves other
// words whole.
func replaceFold(text, piece string) string {
	lower := asciiLower(text)
	var b strings.Builder
	for from := 0; ; {
		i := strings.Index(lower[from:], piece)
		if i < 0 {
			b.WriteString(text[from:])
			return b.String()
		}
		start, end := from+i, from+i+len(piece)
		b.WriteString(text[from:start])
		if len(piece) < 4 && (wordAt(lower, start-1) || wordAt(lower, end)) {
			b.WriteString(text[start:end])
		} else {
			b.WriteString(hidden)
		}
		from = end
	}
}

func wordAt(s string, i int) bool {
	return i >= 0 && i < len(s) && (s[i] >= 'a' && s[i] <= 'z' || s[i] >= '0' && s[i] <= '9')
}

// asciiLower keeps every byte's place, which strings.ToLower does not.
func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
