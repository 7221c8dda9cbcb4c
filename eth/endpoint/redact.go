package endpoint

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
	"unicode"
)

const (
	// maxShownText bounds how much of a provider's text is kept, in bytes.
	maxShownText = 200
	// gram is the shortest common substring with a secret that is hidden, in bytes.
	gram = 8
	// hidden replaces a part of the URL.
	hidden = "***"
)

// redactor removes an endpoint's secrets from texts that its provider wrote: error pages often repeat the
// requested address, whole or in part.
type redactor struct{ pieces []string }

// newRedactor collects every part of the URL behind its host, encoded and decoded.
func newRedactor(u *url.URL) redactor {
	var s redactor
	if u.User != nil {
		password, _ := u.User.Password()
		pair := u.User.Username() + ":" + password
		s.add(u.User.Username(), password, u.User.String(), base64.StdEncoding.EncodeToString([]byte(pair)))
		s.add(strings.Split(u.User.String(), ":")...)
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
	slices.Sort(s.pieces)
	s.pieces = slices.Compact(s.pieces)
	return s
}

func (s *redactor) add(pieces ...string) {
	for _, p := range pieces {
		if p != "" {
			s.pieces = append(s.pieces, asciiLower(p))
		}
	}
}

// clean returns a provider's text on one line, bounded and without secrets.
func (s redactor) clean(raw string) string {
	raw, cut := bounded(raw, 4*maxShownText)
	raw = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, raw)
	raw = strings.Join(strings.Fields(s.redact(raw)), " ")
	raw, more := bounded(raw, maxShownText)
	if cut || more {
		raw += "…"
	}
	return raw
}

func bounded(s string, limit int) (string, bool) {
	if len(s) <= limit {
		return strings.ToValidUTF8(s, "?"), false
	}
	return strings.ToValidUTF8(s[:limit], "?"), true
}

// redact replaces every secret, and every part of one that is too long to be a coincidence.
func (s redactor) redact(text string) string {
	lower := asciiLower(text)
	secret := make([]bool, len(text))
	for _, p := range s.pieces {
		markPiece(secret, lower, p)
		markGrams(secret, lower, p)
	}
	var b strings.Builder
	for i := range len(text) {
		switch {
		case !secret[i]:
			b.WriteByte(text[i])
		case i == 0 || !secret[i-1]:
			b.WriteString(hidden)
		}
	}
	return b.String()
}

// markPiece marks each occurrence of a piece; one of fewer than four bytes only as a whole word, so that "v2"
// leaves other words intact.
func markPiece(secret []bool, text, piece string) {
	for from := 0; ; {
		i := strings.Index(text[from:], piece)
		if i < 0 {
			return
		}
		start, end := from+i, from+i+len(piece)
		if len(piece) >= 4 || !wordAt(text, start-1) && !wordAt(text, end) {
			mark(secret, start, end)
		}
		from = start + 1
	}
}

// markGrams marks parts of a piece: providers shorten echoes, and our own bound may cut one.
func markGrams(secret []bool, text, piece string) {
	if len(piece) <= gram {
		return
	}
	for i := 0; i+gram <= len(text); i++ {
		if strings.Contains(piece, text[i:i+gram]) {
			mark(secret, i, i+gram)
		}
	}
}

func mark(secret []bool, from, to int) {
	for i := from; i < to; i++ {
		secret[i] = true
	}
}

func wordAt(s string, i int) bool {
	return i >= 0 && i < len(s) && (s[i] >= 'a' && s[i] <= 'z' || s[i] >= '0' && s[i] <= '9')
}

// asciiLower keeps byte positions, which strings.ToLower does not.
func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
