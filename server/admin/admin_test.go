package admin_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/server/admin"
)

func TestMain(m *testing.M) {
	// glog is not linked here; everything else must end.
	goleak.VerifyTestMain(m)
}

// node is a small node behind the API.
type node struct {
	mu     sync.Mutex
	limits []int
	level  int
}

func (n *node) SetMaxSessions(limit int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.limits = append(n.limits, limit)
}

func (n *node) Verbosity() int { n.mu.Lock(); defer n.mu.Unlock(); return n.level }

func (n *node) SetVerbosity(v int) error {
	if v < 0 || v > 10 {
		return errors.New("out of range")
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.level = v
	return nil
}

func (n *node) Status() admin.Status {
	return admin.Status{Version: "1.2.3", LocalTranscoding: true, OrchestratorPool: []string{"https://o:8935"},
		OrchestratorPoolInfos: []admin.PoolInfo{{URL: "https://o:8935", Score: 1, Latency: time.Millisecond}}}
}

func newServer(n *node, change func(*admin.Options)) *admin.Server {
	board := health.New(slog.New(slog.DiscardHandler), func() time.Time { return time.Unix(1700000000, 0) }, nil)
	board.Set(health.Key{Code: fault.PortClosed, About: "host:8935"}, "no answer")
	opts := admin.Options{
		Access: admin.Access{CompatTransactions: true, Profiling: true},
		Listen: "127.0.0.1:7935", Orchestrator: true, Log: slog.New(slog.DiscardHandler),
		Node:    admin.Node{SetMaxSessions: n.SetMaxSessions, Verbosity: n, Conditions: board.Snapshot, Status: n.Status},
		Metrics: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "metrics") }),
	}
	if change != nil {
		change(&opts)
	}
	return admin.New(opts)
}

// ask sends a request; headers come in pairs.
func ask(s *admin.Server, method, target, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://127.0.0.1:7935"+target, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
			continue
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	rec := httptest.NewRecorder()
	s.Handler().ServeHTTP(rec, r)
	return rec
}

func TestRoutes(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 70<<10)
	tests := []struct {
		name, method, target, form string
		status                     int
		body                       string
	}{
		{"health", "GET", "/healthz", "", 200, ""},
		{"is orchestrator", "GET", "/IsOrchestrator", "", 200, "true"},
		{"is redeemer", "POST", "/IsRedeemer", "", 200, "false"},
		{"chain id", "GET", "/EthChainID", "", 200, "0"},
		{"log level", "GET", "/getLogLevel", "", 200, "3"},
		{"metrics", "GET", "/metrics", "", 200, "metrics"},
		{"chain route", "GET", "/currentRound", "", 500, "missing ETH client\n"},
		{"transaction", "POST", "/bond", "amount=1", 500, "missing ETH client\n"},
		{"unknown", "GET", "/nothing", "", 404, "404 page not found\n"},
		{"method", "DELETE", "/status", "", 405, "method not allowed\n"},
		{"sessions by post", "POST", "/setMaxSessions", "maxSessions=5", 200, "Max sessions set to 5\n"},
		{"sessions in the query", "POST", "/setMaxSessions?maxSessions=7", "", 200, "Max sessions set to 7\n"},
		{"sessions auto", "POST", "/setMaxSessions", "maxSessions=auto", 200, "Max sessions set to auto\n"},
		{"sessions missing", "POST", "/setMaxSessions", "", 400, "missing form param: maxSessions\n"},
		{"sessions zero", "POST", "/setMaxSessions", "maxSessions=0", 400,
			"maxSessions \"0\" must be a number of at least 1, or auto\n"},
		{"sessions word", "POST", "/setMaxSessions", "maxSessions=many", 400,
			"maxSessions \"many\" must be a number of at least 1, or auto\n"},
		{"sessions in a body too large", "POST", "/setMaxSessions", "x=" + long + "&maxSessions=9", 400,
			"the body is larger than 64 KiB\n"},
		{"set level", "POST", "/setLogLevel", "loglevel=6", 200, ""},
		{"set level to a word", "POST", "/setLogLevel", "loglevel=loud", 400,
			"loglevel \"loud\" is not a verbosity such as 3 or 6\n"},
		{"set level too high", "POST", "/setLogLevel", "loglevel=11", 400,
			"loglevel \"11\" is not a verbosity such as 3 or 6\n"},
		{"set level missing", "POST", "/setLogLevel", "", 400, "missing form param: loglevel\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := ask(newServer(&node{level: 3}, nil), tt.method, tt.target, tt.form)
			if got.Code != tt.status || got.Body.String() != tt.body {
				t.Errorf("%d %q, want %d %q", got.Code, got.Body, tt.status, tt.body)
			}
		})
	}
}

func TestChangesReachTheNode(t *testing.T) {
	t.Parallel()
	n := &node{}
	s := newServer(n, nil)
	ask(s, "POST", "/setMaxSessions", "maxSessions=5")
	ask(s, "POST", "/setMaxSessions", "maxSessions=auto")
	ask(s, "POST", "/setMaxSessions", "maxSessions=-1")
	if !slices.Equal(n.limits, []int{5, 0}) {
		t.Errorf("limits %v", n.limits)
	}
	ask(s, "POST", "/setLogLevel?loglevel=6", "")
	if got := ask(s, "GET", "/getLogLevel", "").Body.String(); got != "6" {
		t.Errorf("level %q", got)
	}
}

func TestAbsentParts(t *testing.T) {
	t.Parallel()
	s := newServer(nil, func(o *admin.Options) {
		o.Node, o.Metrics = admin.Node{}, nil
	})
	for _, path := range []string{"/metrics", "/setMaxSessions?maxSessions=5", "/setLogLevel?loglevel=3", "/getLogLevel"} {
		method := map[bool]string{true: "POST", false: "GET"}[strings.HasPrefix(path, "/set")]
		if got := ask(s, method, path, ""); got.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, got.Code)
		}
	}
	if got := ask(s, "GET", "/api/conditions", "").Body.String(); got != "[]\n" {
		t.Errorf("conditions %q", got)
	}
}

// The keys that existing tools read.
func TestStatusShape(t *testing.T) {
	t.Parallel()
	var got map[string]any
	rec := ask(newServer(&node{}, nil), "GET", "/status", "")
	if err := json.Unmarshal(rec.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"Manifests", "InternalManifests", "StreamInfo", "OrchestratorPool",
		"OrchestratorPoolInfos",
		"Version", "GolangRuntimeVersion", "GOArch", "GOOS", "RegisteredTranscodersNumber", "RegisteredTranscoders",
		"LocalTranscoding", "BroadcasterPrices"} {
		if v, ok := got[key]; !ok || v == nil {
			t.Errorf("%s is %v", key, v)
		}
		delete(got, key)
	}
	if len(got) != 0 {
		t.Errorf("more keys: %v", got)
	}
	if !strings.Contains(rec.Body.String(),
		`"OrchestratorPoolInfos":[{"Url":"https://o:8935","Score":1,"Latency":1000000}]`) {
		t.Errorf("pool: %s", rec.Body)
	}
}

func TestConditions(t *testing.T) {
	t.Parallel()
	var got []admin.Condition
	if err := json.Unmarshal(ask(newServer(&node{}, nil), "GET", "/api/conditions", "").Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].Code != "PortClosed" || got[0].Class != "upstream" || got[0].About != "host:8935" ||
		got[0].Detail != "no answer" || got[0].Remedy == "" || got[0].Since.Unix() != 1700000000 {
		t.Errorf("got %+v", got)
	}
}

func TestHostHeader(t *testing.T) {
	t.Parallel()
	tests := []struct {
		listen, host string
		allowed      bool
	}{
		{"127.0.0.1:7935", "127.0.0.1:7935", true},
		{"127.0.0.1:7935", "localhost:7935", true},
		{"127.0.0.1:7935", "LOCALHOST", true},
		{"127.0.0.1:7935", "localhost.:9999", true},
		{"127.0.0.1:7935", "[::1]:7935", true},
		{"127.0.0.1:7935", "127.9.9.9:1", true},
		{"127.0.0.1:7935", "extra.example", true},
		{"127.0.0.1:7935", "evil.example:7935", false},
		{"127.0.0.1:7935", "127.0.0.1.evil.example", false},
		{"127.0.0.1:7935", "192.168.1.5:7935", false},
		{"127.0.0.1:7935", "", false},
		{"0.0.0.0:7935", "192.168.1.5:7935", true},
		{"0.0.0.0:7935", "evil.example", false},
		{":7935", "[fe80::1%eth0]:7935", true},
		{":7935", "evil.example", false},
		{"node.lan:7935", "node.lan:7935", true},
		{"node.lan:7935", "10.0.0.1", true},
		{"nonsense", "localhost", true},
		{"nonsense", "nonsense", false},
	}
	for _, tt := range tests {
		s := newServer(&node{}, func(o *admin.Options) { o.Listen = tt.listen; o.Hosts = []string{"extra.example"} })
		got := ask(s, "GET", "/IsOrchestrator", "", "Host", tt.host).Code
		want := map[bool]int{true: 200, false: 403}[tt.allowed]
		if tt.allowed && (strings.HasPrefix(tt.listen, "0.") || strings.HasPrefix(tt.listen, ":") ||
			strings.HasPrefix(tt.listen, "node")) {
			want = 401 // other machines reach it
		}
		if got != want {
			t.Errorf("listening on %s, Host %q: %d, want %d", tt.listen, tt.host, got, want)
		}
	}
}

func TestCrossSite(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		headers []string
		allowed bool
	}{
		{"a program", nil, true},
		{"the address bar", []string{"Sec-Fetch-Site", "none"}, true},
		{"our own page", []string{"Sec-Fetch-Site", "same-origin", "Origin", "http://127.0.0.1:7935"}, true},
		{"our own page, old browser", []string{"Origin", "http://127.0.0.1:7935"}, true},
		{"another site", []string{"Sec-Fetch-Site", "cross-site"}, false},
		{"another port of this machine", []string{"Sec-Fetch-Site", "same-site"}, false},
		{"another site, old browser", []string{"Origin", "https://evil.example"}, false},
		{"no origin told", []string{"Origin", "null"}, false},
		{"an image in a page, old browser", []string{"Referer", "https://evil.example/page"}, false},
		{"garbage", []string{"Origin", "http://%zz"}, false},
	}
	for _, tt := range tests {
		n := &node{}
		s := newServer(n, nil)
		for _, method := range []string{"GET", "POST"} {
			got := ask(s, method, "/setMaxSessions?maxSessions=5", "", tt.headers...).Code
			want := map[bool]int{true: 200, false: 403}[tt.allowed]
			if tt.allowed && method == "GET" {
				want = 405
			}
			if refused := got == 403 || got == 405; got != want && !(method == "GET" && !tt.allowed && refused) {
				t.Errorf("%s by %s: %d, want %d", tt.name, method, got, want)
			}
		}
		if (len(n.limits) > 0) != tt.allowed {
			t.Errorf("%s: limits %v", tt.name, n.limits)
		}
		for _, path := range []string{"/status", "/healthz", "/api/conditions", adminapi.PathNode, adminapi.PathOpenAPI} {
			got := ask(s, "GET", path, "", tt.headers...)
			// Where only a link came from elsewhere, the page sees nothing of the answer.
			read := tt.allowed || tt.headers[0] == "Referer"
			if refused := got.Code == 403 && strings.Contains(got.Body.String(), "another site"); refused == read {
				t.Errorf("%s: reading %s is %d %s", tt.name, path, got.Code, got.Body)
			}
		}
		if got := ask(s, "GET", "/debug/pprof/goroutine", "", tt.headers...).Code; (got == 200) != tt.allowed {
			t.Errorf("%s: profiles are %d", tt.name, got)
		}
	}
}

func TestPanicIsAnswered(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	s := newServer(&node{}, func(o *admin.Options) {
		o.Log = slog.New(slog.NewTextHandler(&log, nil))
		o.Metrics = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("out of cheese") })
	})
	got := ask(s, "GET", "/metrics", "")
	if got.Code != 500 || strings.Contains(got.Body.String(), "cheese") || !strings.Contains(log.String(), "cheese") {
		t.Errorf("%d %q, log %q", got.Code, got.Body, log.String())
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	s := newServer(&node{}, func(o *admin.Options) { o.Listen = "127.0.0.1:0" })
	ctx, cancel := context.WithCancel(t.Context())
	ready, result := make(chan struct{}), make(chan error, 1)
	go func() { result <- s.Run(ctx, func() { close(ready) }) }()
	<-ready
	client := &http.Client{Transport: &http.Transport{}}
	res, err := client.Get("http://" + s.Addr().String() + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != 200 || res.Header.Get("X-Content-Type-Options") != "nosniff" ||
		res.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%d %v", res.StatusCode, res.Header)
	}
	client.CloseIdleConnections()

	second := newServer(&node{}, func(o *admin.Options) { o.Listen = s.Addr().String() })
	if err := second.Run(t.Context(), func() { t.Error("ready on a port in use") }); !errors.Is(err, fault.ListenFailed) {
		t.Errorf("port in use: %v", err)
	}
	cancel()
	if err := <-result; err != nil {
		t.Errorf("stopped with %v", err)
	}
}
