package telemetry

import (
	"crypto/rand"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/telemetry"
)

// Clients choose names of streams and segments, orchestrators their addresses and errors: keys keep the protocol's
// bound and the consumers' pattern, and messages stay small.
func FuzzMessage(f *testing.F) {
	f.Add("abc", "https://o", "x")
	f.Add("", "", "")
	f.Add("..*#", "\xff", strings.Repeat("é", 300))
	f.Add("é", "u", "")
	f.Fuzz(func(t *testing.T, manifest, uri, text string) {
		s := &telemetry.Segment{Manifest: core.ManifestID(manifest), Name: manifest}
		for range 30 {
			s.Attempts = append(s.Attempts, telemetry.Attempt{By: core.Performer{URI: uri, Address: uri}, Error: text})
		}
		m, err := describe(s, "n", time.UnixMilli(1), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		rest, ok := strings.CutPrefix(m.key, keyPrefix)
		if first, _ := utf8.DecodeRuneInString(rest); !ok || len(m.key) > maxKey || !utf8.ValidString(m.key) ||
			first == '.' || !strings.HasPrefix(rest[utf8.RuneLen(first):], ".") {
			t.Errorf("the key of %q is %q", manifest, m.key)
		}
		if len(m.body) > 128<<10 || !json.Valid(m.body) {
			t.Errorf("%d bytes: %.200s", len(m.body), m.body)
		}
	})
}
