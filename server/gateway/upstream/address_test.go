package upstream_test

import (
	"slices"
	"testing"

	"github.com/tuttinode/tutti/server/gateway/upstream"
)

func TestParseAddress(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"host":                  "https://host:8935",
		" host:1 ":              "https://host:1",
		"https://host:8935/":    "https://host:8935",
		"http://host":           "http://host:8935",
		"[::1]:8935":            "https://[::1]:8935",
		"127.0.0.1:8935":        "https://127.0.0.1:8935",
		"":                      "",
		"ftp://host":            "",
		"https://host/path":     "",
		"https://host?x=1":      "",
		"https://user@host":     "",
		"https://":              "",
		"host:port":             "",
		"https://host:8935/#up": "",
	} {
		got, err := upstream.ParseAddress(text)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
}

func TestParseAddresses(t *testing.T) {
	t.Parallel()
	got, err := upstream.ParseAddresses("a, b:1,,https://a:8935/")
	if want := []string{"https://a:8935", "https://b:1"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	if _, err := upstream.ParseAddresses("a,ftp://b"); err == nil {
		t.Error("a bad element is an error")
	}
}

func FuzzParseAddress(f *testing.F) {
	for _, s := range []string{"host", "https://h:1/", "http://[::1]", "a b", "%zz"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		uri, err := upstream.ParseAddress(text)
		if err != nil {
			return
		}
		if again, err := upstream.ParseAddress(uri); err != nil || again != uri {
			t.Fatalf("%q reads as %q, and that as %q, %v", text, uri, again, err)
		}
	})
}
