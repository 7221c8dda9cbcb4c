package access_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/access"
)

// ring knows one key, "good", or none.
type ring struct{ required bool }

func (r ring) Required() bool { return r.required }

func (r ring) Use(_ context.Context, token, _, _ string) error {
	if token == "good" && r.required {
		return nil
	}
	return fault.New(fault.KeyUnknown, "test", "")
}

var now = time.Unix(1_800_000_000, 0)

func links(t testing.TB, dir string) *access.Links {
	t.Helper()
	l, err := access.OpenLinks(dir, bytes.NewReader(bytes.Repeat([]byte{7}, 32)))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// request is one for a stream: from is the peer, the rest headers.
func request(target, from string, headers ...string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:9935"+target, nil)
	r.RemoteAddr = from
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		} else {
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	return r
}

func TestStreamAccess(t *testing.T) {
	t.Parallel()
	const (
		here  = "127.0.0.1:5000"
		there = "192.0.2.1:5000"
	)
	key := []string{"Authorization", "Bearer good"}
	for _, row := range []struct {
		name       string
		change     func(*access.Options)
		from       string
		headers    []string
		play, push fault.Code
	}{
		{"this machine", nil, here, nil, "", ""},
		{"this machine, IPv6", nil, "[::1]:1", nil, "", ""},
		{"this machine by a given name", func(o *access.Options) { o.Hosts = []string{"media.example"} }, here,
			[]string{"Host", "media.example"}, "", ""},
		{"no address", nil, "@", nil, fault.StreamKeyRequired, fault.StreamKeyRequired},
		{"elsewhere", nil, there, nil, fault.StreamKeyRequired, fault.StreamKeyRequired},
		{"elsewhere with a key", nil, there, key, "", ""},
		{"elsewhere with another key", nil, there, []string{"Authorization", "Bearer bad"}, fault.KeyUnknown,
			fault.KeyUnknown},
		{"elsewhere with a key of a gateway without", func(o *access.Options) { o.Keys = ring{} }, there, key,
			fault.StreamKeyRequired, fault.StreamKeyRequired},
		{"a bound name with a key", nil, here, append([]string{"Host", "media.example"}, key...), "", ""},
		{"a bound name", nil, here, []string{"Host", "evil.example"}, fault.GatewayHostRefused,
			fault.GatewayHostRefused},
		{"a page", nil, here, []string{"Sec-Fetch-Site", "cross-site"}, fault.GatewayCrossSite, fault.GatewayCrossSite},
		{"a form of a page, old browser", func(o *access.Options) { o.Keys = nil }, here,
			[]string{"Referer", "http://evil.example/"}, "", fault.GatewayCrossSite},
		{"a proxy", nil, here, []string{"Forwarded", "for=x"}, fault.StreamKeyRequired, fault.StreamKeyRequired},
		{"keys, this machine", func(o *access.Options) { o.Mode = access.Keys }, here, nil, fault.StreamKeyRequired,
			fault.StreamKeyRequired},
		{"keys, with one", func(o *access.Options) { o.Mode = access.Keys }, here, key, "", ""},
		{"open, elsewhere", func(o *access.Options) { o.Mode, o.Listen = access.Open, ":9935" }, there,
			[]string{"Host", "media.example"}, "", ""},
		{"open, a bound name on loopback", func(o *access.Options) { o.Mode = access.Open }, here,
			[]string{"Host", "evil.example", "Via", "x"},
			fault.GatewayHostRefused, fault.GatewayHostRefused},
		{"open, a proxy's name on loopback", func(o *access.Options) {
			o.Mode, o.Hosts = access.Open,
				[]string{"media.example"}
		}, here,
			[]string{"Host", "media.example", "Via", "x"}, "", ""},
		{"a webhook decides about pushes", func(o *access.Options) { o.WebhookPushes = true }, there, nil,
			fault.StreamKeyRequired, ""},
		{"open pushes end with the first key", func(o *access.Options) { o.OpenPushes = true }, there, nil,
			fault.StreamKeyRequired, fault.StreamKeyRequired},
		{"open pushes", func(o *access.Options) { o.OpenPushes, o.Keys = true, ring{} }, there, nil,
			fault.StreamKeyRequired, ""},
		{"open pushes where keys are asked for", func(o *access.Options) {
			o.OpenPushes, o.Keys, o.Mode = true, nil,
				access.Keys
		}, there, nil,
			fault.StreamKeyRequired, fault.StreamKeyRequired},
	} {
		opt := access.Options{Listen: "127.0.0.1:9935", Mode: access.Auto, Keys: ring{true}}
		if row.change != nil {
			row.change(&opt)
		}
		p := access.New(opt)
		r := request("/stream/film.m3u8", row.from, row.headers...)
		query, err := p.Play(r, "film", now)
		if fault.CodeOf(err) != row.play && (err != nil || row.play != "") || query != "" {
			t.Errorf("%s: playing is %q %v, want %q", row.name, query, err, row.play)
		}
		if _, err := p.Streams(r); fault.CodeOf(err) != row.play && (err != nil || row.play != "") {
			t.Errorf("%s: listing is %v, want %q", row.name, err, row.play)
		}
		r.Method = http.MethodPost
		key, err := p.Push(r)
		if (key != "") != (err == nil && slices.Contains(row.headers, "Bearer good") && row.push == "" &&
			p.Machine(r) != nil ||
			err == nil && row.name == "keys, with one") {
			t.Errorf("%s: pushed with the key %q", row.name, key)
		}
		if fault.CodeOf(err) != row.push && (err != nil || row.push != "") {
			t.Errorf("%s: pushing is %v, want %q", row.name, err, row.push)
		}
	}
	var none *access.Policy
	if _, err := none.Play(request("/", there), "film", now); err != nil || !pushes(none) ||
		none.Machine(nil) != nil {
		t.Error("without a policy something is refused")
	}
}

// pushes reports whether a policy takes any push.
func pushes(p *access.Policy) bool {
	_, err := p.Push(nil)
	return err == nil
}

// A signed address opens its stream until its end, and nothing else opens anything.
func TestSignedAddresses(t *testing.T) {
	t.Parallel()
	p := access.New(access.Options{Listen: "127.0.0.1:9935", Mode: access.Auto, Links: links(t, t.TempDir())})
	query, ok := p.Link("film", now.Add(time.Hour))
	if !ok {
		t.Fatal("nothing is signed")
	}
	play := func(id core.ManifestID, query string, at time.Time) error {
		got, err := p.Play(request("/x?"+query, "192.0.2.1:1"), id, at)
		if err == nil && got != query {
			t.Errorf("playlists inherit %q of %q", got, query)
		}
		return err
	}
	for at, want := range map[time.Duration]bool{0: true, 59 * time.Minute: true, time.Hour: false,
		2 * time.Hour: false} {
		if err := play("film", query, now.Add(at)); (err == nil) != want || !want &&
			!errors.Is(err, fault.PlaybackExpired) {
			t.Errorf("after %v: %v", at, err)
		}
	}
	if _, err := p.Play(request("/x?t=1&"+query, "192.0.2.1:1"), "film", now); err != nil {
		t.Error("a player's own parameter: ", err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		forged := rapid.StringMatching(`(expires=[0-9+-]{0,12}&?)?(signature=[0-9A-Za-z_-]{0,44})?`).Draw(rt, "query")
		if play("film", forged, now) == nil {
			rt.Fatalf("%q plays", forged)
		}
		id := core.ManifestID(rapid.StringMatching(`[a-z]{1,8}`).Draw(rt, "id"))
		if id != "film" && play(id, query, now) == nil {
			rt.Fatalf("the address of another stream plays %q", id)
		}
	})
}

func TestSecretFile(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	first := links(t, dir)
	path := filepath.Join(dir, access.KeyFile)
	again, err := access.OpenLinks(dir, strings.NewReader("")) // nothing random is needed
	if err != nil || *again != *first {
		t.Errorf("another secret after a restart: %v", err)
	}
	if err := os.WriteFile(path, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := access.OpenLinks(dir, strings.NewReader("")); !errors.Is(err, fault.SecretFileDamaged) {
		t.Error(err)
	}
}
