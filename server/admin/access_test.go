package admin_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/admin"
)

// Which requests get in where: by listener, switch, method and token.
func TestWhoMayChange(t *testing.T) {
	t.Parallel()
	const (
		oldChange = "/setMaxSessions?maxSessions=5"
		newChange = adminapi.PathSettings
		read      = "/currentRound"
		newRead   = adminapi.PathNode
	)
	remote := func(o *admin.Options) { o.Listen, o.AllowRemote = "0.0.0.0:7935", true }
	both := func(o *admin.Options) { remote(o); old(o) }
	for _, tt := range []struct {
		name   string
		change func(*admin.Options)
		method string
		path   string
		token  string
		status int
		code   fault.Code
	}{
		{"read", nil, "GET", read, "", 200, ""},
		{"read by POST", nil, "POST", read, "", 200, ""},
		{"new read", nil, "GET", newRead, "", 200, ""},
		{"new read by POST", nil, "POST", newRead, "right", 405, fault.AdminNeedsPost},
		{"old change", nil, "POST", oldChange, "right", 200, ""},
		{"old change by GET", nil, "GET", oldChange, "right", 405, fault.AdminNeedsPost},
		{"old change without token", nil, "POST", oldChange, "", 401, fault.AdminTokenRequired},
		{"old change with another token", nil, "POST", oldChange, "wrong", 401, fault.AdminTokenRefused},
		{"new change", nil, "POST", newChange, "right", 200, ""},
		{"new change without token", nil, "POST", newChange, "", 401, fault.AdminTokenRequired},
		{"new change by GET", nil, "GET", adminapi.ActionPath(adminapi.VerbReward), "right", 405, fault.AdminNeedsPost},
		{"the old way by GET", old, "GET", oldChange, "", 405, fault.AdminNeedsPost},
		{"the old way by POST", old, "POST", oldChange, "", 200, ""},
		{"new change where the old way is open", old, "POST", newChange, "", 401, fault.AdminTokenRequired},
		{"remote read", remote, "GET", read, "", 401, fault.AdminTokenRequired},
		{"remote read with the token", remote, "GET", read, "right", 200, ""},
		{"remote health, which supervisors ask", remote, "GET", "/healthz", "", 200, ""},
		{"remote metrics", remote, "GET", "/metrics", "wrong", 401, fault.AdminTokenRefused},
		{"remote change", remote, "POST", oldChange, "right", 200, ""},
		{"remote change by GET", remote, "GET", oldChange, "right", 405, fault.AdminNeedsPost},
		{"the old way is never remote", both, "POST", oldChange, "", 401, fault.AdminTokenRequired},
		{"the old way is never remote, by GET", both, "GET", oldChange, "right", 405, fault.AdminNeedsPost},
	} {
		st := newStation(t, tt.change)
		headers := map[string][]string{"": nil, "right": {"Authorization", "Bearer " + st.token},
			"wrong": {"Authorization", "Bearer " + strings.Repeat("a", 64)}}[tt.token]
		got := ask(st.Server, tt.method, tt.path, "", headers...)
		if got.Code != tt.status || tt.code != "" && !strings.Contains(got.Body.String(), string(tt.code)) {
			t.Errorf("%s: %d %s", tt.name, got.Code, got.Body)
		}
		if changed := len(st.limits) > 0; changed != (got.Code == 200 && tt.path == oldChange) {
			t.Errorf("%s: changed %v", tt.name, changed)
		}
		if strings.Contains(st.log.String()+got.Body.String(), st.token) {
			t.Errorf("%s: the token is told", tt.name)
		}
	}
}

// Every route that changes something is closed to GET and to those without token,
// and every one to pages of other sites, the old way or not.
func TestEveryChangeIsGuarded(t *testing.T) {
	t.Parallel()
	st, loose := newStation(t, nil), newStation(t, old)
	paths := []string{"/setLogLevel", "/setMaxSessions", "/setMaxFaceValue", "/setPriceForBroadcaster",
		"/setBroadcastConfig", "/setMaxPriceForCapability",
		"/registerLiveRunners", "/setMaxGasPrice", "/setMinGasPrice", "/signMessage", "/activateOrchestrator",
		"/setOrchestratorConfig"}
	for _, a := range acts() {
		paths = append(paths, a.path)
	}
	for _, r := range admin.Routes() {
		if r.Change {
			paths = append(paths, r.Path)
		}
	}
	if len(paths) < 50 {
		t.Fatalf("only %d paths", len(paths))
	}
	for _, path := range paths {
		bearer := []string{"Authorization", "Bearer " + st.token}
		isRead := slices.Contains([]string{adminapi.PathGas, adminapi.PathSettings, adminapi.PathPrices,
			adminapi.PathPriceLimits, adminapi.PathDrain}, path)
		if got := ask(st.Server, "GET", path, "", bearer...); got.Code != 405 && !isRead {
			t.Errorf("GET %s: %d %s", path, got.Code, got.Body)
		}
		if got := ask(st.Server, "POST", path, ""); got.Code != 401 {
			t.Errorf("%s without token: %d %s", path, got.Code, got.Body)
		}
		if got := ask(st.Server, "POST", path, "", append(bearer, "Origin", "https://evil.example")...); got.Code != 403 {
			t.Errorf("%s from another site: %d %s", path, got.Code, got.Body)
		}
		if got := ask(loose.Server, "POST", path, "", "Sec-Fetch-Site", "cross-site"); got.Code != 403 {
			t.Errorf("%s from another site, the old way: %d %s", path, got.Code, got.Body)
		}
		if got := ask(loose.Server, "POST", path, "", "Host", "rebound.example"); got.Code != 403 {
			t.Errorf("%s by another name: %d %s", path, got.Code, got.Body)
		}
	}
	if sent := append(st.chain.Sent(), loose.chain.Sent()...); len(sent) != 0 {
		t.Errorf("sent %v", sent)
	}
}

func TestWrongTokensAreCounted(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	st := newStation(t, func(o *admin.Options) { o.Now = func() time.Time { return now } })
	wrong := []string{"Authorization", "Bearer guess"}
	for range 10 {
		if got := ask(st.Server, "POST", adminapi.PathSettings, "", wrong...); got.Code != 401 {
			t.Fatalf("%d %s", got.Code, got.Body)
		}
	}
	got := ask(st.Server, "POST", adminapi.PathSettings, "", wrong...)
	if got.Code != 429 || !strings.Contains(got.Body.String(), "AdminTokenTries") {
		t.Errorf("the eleventh: %d %s", got.Code, got.Body)
	}
	if got := st.post(adminapi.PathSettings, "{}"); got.Code != 200 {
		t.Errorf("the right one: %d %s", got.Code, got.Body)
	}
	if got := st.get("/currentRound"); got.Code != 200 {
		t.Errorf("reads suffer: %d", got.Code)
	}
	now = now.Add(3 * time.Second)
	if got := st.post(adminapi.PathSettings, "{}"); got.Code != 200 {
		t.Errorf("later: %d %s", got.Code, got.Body)
	}
}

func TestRemoteNeedsAToken(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	open := func(listen string, access admin.Access) error {
		return newServer(&node{}, func(o *admin.Options) { o.Listen, o.Access = listen, access }).Open()
	}
	for _, listen := range []string{"0.0.0.0:0", ":7935", "192.168.1.5:7935", "[::]:7935", "node.lan:7935"} {
		if err := open(listen, admin.Access{}); !errors.Is(err, fault.AdminExposed) {
			t.Errorf("%s without data directory: %v", listen, err)
		}
		if err := open(listen, admin.Access{AllowRemote: true}); !errors.Is(err, fault.AdminExposed) {
			t.Errorf("%s allowed without data directory: %v", listen, err)
		}
		if err := open(listen, admin.Access{DataDir: dir}); !errors.Is(err, fault.AdminExposed) {
			t.Errorf("%s before there is a token: %v", listen, err)
		}
	}
	if err := open("127.0.0.1:0", admin.Access{DataDir: dir}); err != nil {
		t.Fatal(err)
	}
	if err := open("0.0.0.0:0", admin.Access{DataDir: dir}); err != nil {
		t.Errorf("with the token: %v", err)
	}
	if err := open("0.0.0.0:0", admin.Access{DataDir: t.TempDir(), AllowRemote: true}); err != nil {
		t.Errorf("allowed: %v", err)
	}
	if err := open("127.0.0.1:0", admin.Access{DataDir: filepath.Join(t.TempDir(), "a", "b")}); err != nil {
		t.Errorf("a data directory that is not there yet: %v", err)
	}
	if err := open("127.0.0.1:0", admin.Access{DataDir: filepath.Join(dir, adminapi.TokenFile, "x")}); !errors.Is(err,
		fault.DataDirUnusable) {
		t.Errorf("no data directory: %v", err)
	}
	if err := os.Chmod(filepath.Join(dir, adminapi.TokenFile), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := open("127.0.0.1:0", admin.Access{DataDir: dir}); !errors.Is(err, fault.AdminTokenFile) ||
		!strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a wide mode: %v", err)
	}
}

// start runs the API and returns a client of it; what it returns last stops both.
func start(t *testing.T, st *station, dial func(ctx context.Context, s *admin.Server) (net.Conn, error)) (*http.Client,
	func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ready, result := make(chan struct{}), make(chan error, 1)
	go func() { result <- st.Run(ctx, func() { close(ready) }) }()
	select {
	case <-ready:
	case err := <-result:
		cancel()
		t.Fatal(err)
	}
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn,
		error) {
		return dial(ctx, st.Server)
	}}
	return &http.Client{Transport: transport}, func() {
		transport.CloseIdleConnections()
		cancel()
		if err := <-result; err != nil {
			t.Error(err)
		}
	}
}

func byAddr(ctx context.Context, s *admin.Server) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, s.Addr().Network(), s.Addr().String())
}

func TestUnixSocket(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "adm") // short: a socket's path is bounded
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "admin.sock")
	make := func() *station { return newStation(t, func(o *admin.Options) { o.Listen = "unix:" + path }) }
	st := make()
	client, stop := start(t, st, byAddr)
	info, err := os.Stat(path)
	if err != nil || info.Mode() != os.ModeSocket|0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	res, err := client.Get("http://localhost" + adminapi.PathNode)
	if err != nil || res.StatusCode != 200 {
		t.Fatalf("%v, %v", res, err)
	}
	_ = res.Body.Close()
	req, _ := http.NewRequest("POST", "http://localhost"+adminapi.PathSettings, strings.NewReader(`{"maxSessions":3}`))
	req.Header.Set("Authorization", "Bearer "+st.token)
	if res, err = client.Do(req); err != nil || res.StatusCode != 200 {
		t.Fatalf("%v, %v", res, err)
	}
	_ = res.Body.Close()
	if book := st.book(t); !strings.Contains(book, `"from":"unix"`) {
		t.Errorf("book %s", book)
	}
	if err := make().Run(t.Context(), func() { t.Error("ready on a socket in use") }); !errors.Is(err,
		fault.ListenFailed) {
		t.Errorf("in use: %v", err)
	}
	stop()
	left, _ := os.ReadDir(dir)
	if len(left) != 0 {
		t.Errorf("left %v", left)
	}
}

func TestUnixSocketPaths(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "adm")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	// What a killed process leaves.
	path := filepath.Join(dir, "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	_ = l.Close()
	st := newStation(t, func(o *admin.Options) { o.Listen = "unix:" + path })
	_, stop := start(t, st, byAddr)
	stop()
	// What is no socket stays.
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{path, filepath.Join(dir, "none", "s")} {
		err := newStation(t, func(o *admin.Options) { o.Listen = "unix:" + p }).Run(t.Context(), func() {})
		if !errors.Is(err, fault.ListenFailed) {
			t.Errorf("%s: %v", p, err)
		}
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "x" {
		t.Error("a file was replaced", err)
	}
}

func TestProfilesAreOff(t *testing.T) {
	t.Parallel()
	if got := newStation(t, nil).get("/debug/pprof/cmdline"); got.Code != 404 {
		t.Errorf("off: %d", got.Code)
	}
	if got := newStation(t, func(o *admin.Options) { o.Profiling = true }).get("/debug/pprof/goroutine"); got.Code != 200 {
		t.Errorf("on: %d", got.Code)
	}
	// Secrets may be on the command line.
	if got := newStation(t, func(o *admin.Options) { o.Profiling = true }).get("/debug/pprof/cmdline"); got.Code != 404 {
		t.Errorf("the command line: %d", got.Code)
	}
}
