package gateway

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
)

// routes are the addresses that the gateway's own machine may use without a key.
var routes = []struct{ method, path string }{
	{"GET", "/v1/models"}, {"POST", "/v1/chat/completions"}, {"POST", "/llm"}, {"POST", "/text-to-image"},
	{"GET", "/api/streams"}, {"GET", "/api/streams/film/events"}, {"POST", "/api/streams/film/playback"},
	{"GET", "/stream/film.m3u8"}, {"GET", "/stream/film/source.m3u8"}, {"GET", "/stream/film/source/0.ts"},
	{"HEAD", "/stream/film.m3u8"},
	{"PUT", "/live/other/0.ts"}, {"POST", "/live/other/0.ts"},
}

// strangers are requests that come from elsewhere, though their connection begins on
// this machine.
var strangers = map[string][]string{
	"a name bound to this machine": {"Host", "evil.example"},
	"a bound name with a port":     {"Host", "evil.example:9935"},
	"a page of the bound name": {"Host", "evil.example:9935", "Origin", "http://evil.example:9935",
		"Sec-Fetch-Site", "same-origin"},
	"another site's page":                   {"Origin", "https://evil.example"},
	"another site's page, modern browser":   {"Sec-Fetch-Site", "cross-site"},
	"a page of another port":                {"Sec-Fetch-Site", "same-site"},
	"a page in a sandbox":                   {"Origin", "null"},
	"a reverse proxy":                       {"X-Forwarded-For", "192.0.2.7"},
	"a reverse proxy that says it is local": {"X-Forwarded-For", "127.0.0.1"},
	"a proxy by the standard":               {"Forwarded", "for=192.0.2.7"},
	"a proxy that names the host":           {"X-Forwarded-Host", "127.0.0.1"},
	"nginx":                                 {"X-Real-IP", "192.0.2.7"},
	"a cache":                               {"Via", "1.1 cache"},
	"Cloudflare":                            {"CF-Connecting-IP", "192.0.2.7"},
	"Akamai":                                {"True-Client-IP", "192.0.2.7"},
	"Fly":                                   {"Fly-Client-IP", "192.0.2.7"},
	"an empty header of a proxy":            {"X-Forwarded-For", ""},
}

// A gateway without keys serves its own machine. Pages and proxies are not that.
func TestStrangersAreNotTheOwnMachine(t *testing.T) {
	t.Parallel()
	g := start(t)
	g.stream("film")
	for _, r := range routes {
		if status, text := g.ask(r.method, r.path, []byte("x")); status == http.StatusForbidden ||
			status == http.StatusUnauthorized {
			t.Errorf("this machine: %s %s: %d %s", r.method, r.path, status, text)
		}
		for from, headers := range strangers {
			status, text := g.ask(r.method, r.path, []byte("x"), headers...)
			if status != http.StatusForbidden && status != http.StatusUnauthorized {
				t.Errorf("%s: %s %s: %d %.80q", from, r.method, r.path, status, text)
			}
		}
	}
	for _, headers := range [][]string{{"Host", "localhost"}, {"Host", "localhost:1"}, {"Host", "[::1]:9935"},
		{"Host", "127.0.0.1"},
		{"Origin", g.base, "Sec-Fetch-Site", "same-origin"}, {"Sec-Fetch-Site", "none"}} {
		if status, text := g.ask("GET", "/api/streams", nil, headers...); status != http.StatusOK {
			t.Errorf("%v: %d %s", headers, status, text)
		}
	}
	if status, _ := g.ask("GET", "/healthz", nil, "Host", "gateway.internal", "X-Forwarded-For",
		"192.0.2.7"); status != http.StatusOK {
		t.Error("a health check of a balancer:", status)
	}
}

// From elsewhere a key opens streams, and so does an address that was signed for one
// stream and one time.
func TestStreamsFromElsewhere(t *testing.T) {
	t.Parallel()
	g := start(t)
	g.stream("film")
	g.stream("secret")
	elsewhere := []string{"X-Forwarded-For", "192.0.2.7", "Host", "media.example.org"}
	secret := g.key()
	keyed := append([]string{"Authorization", "Bearer " + secret}, elsewhere...)
	for _, r := range routes {
		if status, text := g.ask(r.method, r.path, []byte("x"),
			append([]string{"Authorization", "Bearer tk-wrong"}, elsewhere...)...); status != http.StatusUnauthorized {
			t.Errorf("a wrong key: %s %s: %d %.80q", r.method, r.path, status, text)
		}
		if status, text := g.ask(r.method, r.path, []byte("x"), keyed...); status == http.StatusUnauthorized ||
			status == http.StatusForbidden {
			t.Errorf("with the key: %s %s: %d %.80q", r.method, r.path, status, text)
		}
	}
	status, text := g.ask("POST", "/api/streams/film/playback?lifetime=1h", nil, keyed...)
	var signed struct {
		Playlist string    `json:"playlist"`
		Expires  time.Time `json:"expires"`
	}
	if err := json.Unmarshal([]byte(strings.TrimSpace(text)), &signed); err != nil || status != http.StatusOK ||
		time.Until(signed.Expires) > time.Hour {
		t.Fatal(status, text, err)
	}
	if n := g.follow(signed.Playlist, elsewhere); n < 4 {
		t.Errorf("a player got %d segments of two renditions", n)
	}
	g.forge(signed.Playlist, elsewhere)
	g.expire(elsewhere, keyed)
	if status, text := g.ask("GET", "/stream/film.m3u8", nil); status != http.StatusOK ||
		strings.Contains(text, "signature=") {
		t.Errorf("this machine: %d %s", status, text)
	}
}

// follow does what a player does with a playlist: it resolves each address in it and
// fetches that. It returns the number of segments.
func (g *target) follow(path string, headers []string) (segments int) {
	g.Helper()
	status, text := g.ask("GET", path, nil, headers...)
	if status != http.StatusOK {
		g.Errorf("%s: %d %s", path, status, text)
		return 0
	}
	base, err := url.Parse(path)
	if err != nil {
		g.Fatal(err)
	}
	if !strings.HasSuffix(base.Path, ".m3u8") {
		return 1
	}
	for line := range strings.Lines(strings.TrimSpace(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		next, err := base.Parse(line)
		if err != nil {
			g.Fatal(err)
		}
		segments += g.follow(next.String(), headers)
	}
	return segments
}

// forge changes a signed address in every way.
func (g *target) forge(signed string, headers []string) {
	g.Helper()
	u, err := url.Parse(signed)
	if err != nil {
		g.Fatal(err)
	}
	q := u.Query()
	later := url.Values{"expires": {strconv.FormatInt(time.Now().Add(1000*time.Hour).Unix(), 10)},
		"signature": q["signature"]}
	for what, path := range map[string]string{
		"no signature":        u.Path,
		"another stream":      "/stream/secret.m3u8?" + u.RawQuery,
		"another's segment":   "/stream/secret/source/0.ts?" + u.RawQuery,
		"another's events":    "/api/streams/secret/events?" + u.RawQuery,
		"the list of streams": "/api/streams?" + u.RawQuery,
		"a longer time":       u.Path + "?" + later.Encode(),
		"no time":             u.Path + "?signature=" + q.Get("signature"),
		"an empty signature":  u.Path + "?expires=" + q.Get("expires") + "&signature=",
		"a shorter signature": u.Path + "?expires=" + q.Get("expires") + "&signature=" + q.Get("signature")[:20],
		"two times":           u.Path + "?expires=99999999999&" + u.RawQuery,
		"a sign":              u.Path + "?expires=%2B" + q.Get("expires") + "&signature=" + q.Get("signature"),
	} {
		if status, text := g.ask("GET", path, nil, headers...); status != http.StatusUnauthorized &&
			status != http.StatusForbidden {
			g.Errorf("%s: %d %.80q", what, status, text)
		}
	}
	for _, r := range []struct{ method, path string }{{"PUT", "/live/film/9.ts"},
		{"POST", "/api/streams/film/playback"}} {
		status, _ := g.ask(r.method, r.path+"?"+u.RawQuery, []byte("x"), headers...)
		if status != http.StatusUnauthorized && status != http.StatusForbidden {
			g.Errorf("%s %s with a player's address: %d", r.method, r.path, status)
		}
	}
}

// expire waits for the end of an address's time.
func (g *target) expire(elsewhere, keyed []string) {
	g.Helper()
	_, text := g.ask("POST", "/api/streams/film/playback?lifetime=1s", nil, keyed...)
	var signed struct{ Playlist string }
	if err := json.Unmarshal([]byte(strings.TrimSpace(text)), &signed); err != nil {
		g.Fatal(text, err)
	}
	g.node.Wait("the address to expire", 20*time.Second, func() bool {
		status, text := g.ask("GET", signed.Playlist, nil, elsewhere...)
		return status == http.StatusForbidden && strings.Contains(text, "PlaybackExpired")
	})
	for _, lifetime := range []string{"0s", "-1s", "1000h", "soon"} {
		if status, text := g.ask("POST", "/api/streams/film/playback?lifetime="+lifetime, nil,
			keyed...); status != http.StatusBadRequest {
			g.Errorf("lifetime %s: %d %s", lifetime, status, text)
		}
	}
}

// What the operator chooses holds: -streamAccess open lets all play and push but pages
// that reach into loopback; keys asks this machine for a key as well.
func TestOperatorChoosesStreamAccess(t *testing.T) {
	t.Parallel()
	g := start(t, "-streamAccess", "open")
	g.stream("film")
	if status, text := g.ask("GET", "/stream/film.m3u8", nil, "X-Forwarded-For", "192.0.2.7"); status != http.StatusOK {
		t.Errorf("open: %d %s", status, text)
	}
	for _, from := range []string{"a name bound to this machine", "a page of the bound name"} {
		if status, text := g.ask("GET", "/api/streams", nil, strangers[from]...); status != http.StatusForbidden ||
			!strings.Contains(text, "GatewayHostRefused") {
			t.Errorf("open, %s: %d %s", from, status, text)
		}
	}
	if status, _ := g.ask("GET", "/v1/models", nil, "X-Forwarded-For", "192.0.2.7"); status != http.StatusForbidden {
		t.Errorf("open streams opened the models: %d", status)
	}
	closed := start(t, "-streamAccess", "keys")
	for _, r := range routes[4:] {
		status, text := closed.ask(r.method, r.path, []byte("x"))
		if status != http.StatusUnauthorized {
			t.Errorf("keys, this machine: %s %s: %d %.80q", r.method, r.path, status, text)
		}
	}
	out, status := harness.Output(t, binary, "config", "check", "-gateway", "-orchAddr", "127.0.0.1:1", "-streamAccess",
		"sometimes")
	if status == 0 || !strings.Contains(out, "streamAccess") {
		t.Error(fmt.Sprint(status), out)
	}
}
