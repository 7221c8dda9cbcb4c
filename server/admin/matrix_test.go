package admin_test

import (
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/server/admin"
	"github.com/tuttinode/tutti/server/web"
)

// route is one of the mux, with a method that it takes.
type route struct {
	method, path string
	// changes: it needs POST and the token. probe: it is open to everybody.
	changes, probe bool
}

// allRoutes is made of what the mux was given, so that no new route escapes.
func allRoutes(t *testing.T, st *station) (out []route) {
	t.Helper()
	v1 := map[string][]string{}
	for _, r := range admin.Routes() {
		if r.Stream {
			continue // its answer has no end; TestEvents asks for it
		}
		v1[r.Path] = append(v1[r.Path], r.Method)
		out = append(out, route{method: r.Method, path: concrete(r.Path), changes: r.Change})
	}
	changing := oldChanges()
	for _, pattern := range st.Patterns() {
		method, path, found := strings.Cut(pattern, " ")
		if !found {
			method, path = "GET", pattern
		}
		path = strings.TrimSuffix(path, "{$}")
		switch {
		case v1[path] != nil || path == adminapi.PathEvents || strings.HasPrefix(path, "/debug/pprof/"):
			continue
		case changing[path]:
			out = append(out, route{method: "POST", path: path, changes: true})
		default:
			out = append(out, route{method: method, path: path,
				probe: slices.Contains([]string{"/healthz", adminapi.PathHealthy, adminapi.PathReady}, path)})
		}
	}
	return out
}

// oldChanges are the existing node's routes that change something. Whether they do
// is what the test finds out: a read lets GET in.
func oldChanges() map[string]bool {
	out := map[string]bool{}
	for _, path := range []string{"/setLogLevel", "/setMaxSessions", "/setMaxFaceValue", "/setPriceForBroadcaster",
		"/setBroadcastConfig", "/setMaxPriceForCapability",
		"/registerLiveRunners", "/setMaxGasPrice", "/setMinGasPrice", "/signMessage", "/activateOrchestrator",
		"/setOrchestratorConfig"} {
		out[path] = true
	}
	for _, a := range acts() {
		out[a.path] = true
	}
	return out
}

// Every route, on loopback and elsewhere, by client and kind of request.
func TestAccessMatrix(t *testing.T) {
	t.Parallel()
	// Time flies, so that wrong tokens are never too many.
	var seconds atomic.Int64
	fly := func() time.Time { return time.Unix(1_700_000_000+10*seconds.Add(1), 0) }
	pages := func(o *admin.Options) { o.Pages, o.Now = web.OperatorPages(nil), fly }
	local := newStation(t, pages)
	remote := newStation(t, func(o *admin.Options) { pages(o); o.Listen, o.AllowRemote = "0.0.0.0:7935", true })
	// in is whether a request gets in at all: what is inside may say no for reasons of
	// its own, with other statuses.
	in := func(code int) bool { return code != 401 && code != 403 && code != 429 }
	routes := allRoutes(t, local)
	if len(routes) < 120 {
		t.Fatalf("only %d routes", len(routes))
	}
	for _, r := range routes {
		for _, tt := range []struct {
			name    string
			headers []string
			// local and remote: the request gets in there.
			local, remote bool
		}{
			{"no token", nil, !r.changes, r.probe},
			{"the token", []string{"Authorization", "TOKEN"}, true, true},
			{"another token", []string{"Authorization", "Bearer " + strings.Repeat("ab", 32)}, !r.changes, r.probe},
			{"no bearer", []string{"Authorization", "Basic Zm9vOmJhcg=="}, !r.changes, r.probe},
			{"another site", []string{"Authorization", "TOKEN", "Sec-Fetch-Site", "cross-site"}, false, false},
			{"another port", []string{"Authorization", "TOKEN", "Sec-Fetch-Site", "same-site"}, false, false},
			{"another origin", []string{"Authorization", "TOKEN", "Origin", "https://evil.example"}, false, false},
			{"a rebound name", []string{"Authorization", "TOKEN", "Host", "rebound.example"}, r.probe, r.probe},
		} {
			for where, st := range map[string]*station{"loopback": local, "remote": remote} {
				want := tt.local
				if st == remote {
					want = tt.remote
				}
				headers := slices.Clone(tt.headers)
				for i, h := range headers {
					if h == "TOKEN" {
						headers[i] = "Bearer " + st.token
					}
				}
				// A body that no route of version 1 takes.
				body := ""
				if r.method == http.MethodPost {
					body = `{"no such field":1}`
				}
				before := len(st.chain.Sent())
				got := ask(st.Server, r.method, r.path, body, headers...)
				if !want && len(st.chain.Sent()) != before {
					t.Errorf("%s %s, %s, %s: it was refused and done", r.method, r.path, where, tt.name)
				}
				if got.Code == 429 {
					t.Fatalf("%s %s: the test tries too often", r.method, r.path)
				}
				if in(got.Code) != want {
					t.Errorf("%s %s, %s, %s: %d %.120s", r.method, r.path, where, tt.name, got.Code, got.Body)
				}
			}
		}
		if !r.changes {
			continue
		}
		for _, method := range []string{"GET", "HEAD", "PUT", "DELETE", "OPTIONS"} {
			got := ask(local.Server, method, r.path, "", "Authorization", "Bearer "+local.token)
			if got.Code != http.StatusMethodNotAllowed && !isReadToo(r.path) {
				t.Errorf("%s %s: %d", method, r.path, got.Code)
			}
		}
	}
}

// isReadToo reports whether version 1 reads the same path with GET.
func isReadToo(path string) bool {
	return slices.ContainsFunc(admin.Routes(), func(r adminapi.Route) bool { return r.Method == "GET" && r.Path == path })
}

// A route of the existing node that is not known to change anything changes nothing:
// GET is let in, and the log of changes stays empty.
func TestReadsAreReads(t *testing.T) {
	t.Parallel()
	st := newStation(t, nil)
	for _, r := range allRoutes(t, st) {
		if r.changes || r.method != "GET" {
			continue
		}
		if got := st.get(r.path); got.Code == http.StatusMethodNotAllowed {
			t.Errorf("%s changes something, and oldChanges does not know", r.path)
		}
	}
	if book := st.book(t); book != "" {
		t.Errorf("the log of changes has %s", book)
	}
}
