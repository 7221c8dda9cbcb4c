package liverunner_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/liverunner"
)

// request sends a request to the public port. It returns the answer when its head is there.
func (n *node) request(t *testing.T, method, path, body string, headers ...string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, n.public.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "orch.test:8935"
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	return res
}

func (n *node) text(t *testing.T, method, path string) (int, string) {
	t.Helper()
	res := n.request(t, method, path, "")
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(data)
}

// session reserves one and returns its path.
func (n *node) session(t *testing.T, runner string) string {
	t.Helper()
	var out struct {
		Control string `json:"control_url"`
	}
	status, text := n.text(t, "POST", "/apps/"+runner+"/session")
	if err := json.Unmarshal([]byte(text), &out); err != nil || status != http.StatusOK {
		t.Fatal(status, text)
	}
	return strings.TrimPrefix(out.Control, service)
}

func static(label, url string, more string) string {
	return fmt.Sprintf(`{"label":%q,"runner_url":%q,"health_url":"/health","app":"demo/x"%s}`, label, url, more)
}

func TestDiscovery(t *testing.T) {
	t.Parallel()
	n, runner := start(t, ""), echo(t)
	ids := n.register(t, static("a", runner.URL, `,"capacity":2,"gpu":1,"metadata":"m"`)+","+
		static("b", "http://127.0.0.1:1", "")+","+
		static("c", runner.URL, `,"mode":"single_shot","proxy":true,"routing":"label"`))
	n.session(t, ids[0])
	_, text := n.text(t, "GET", "/discovery")
	var all []struct {
		Address string
		Runners []map[string]any
	}
	if err := json.Unmarshal([]byte(text), &all); err != nil || len(all) != 1 || all[0].Address != service {
		t.Fatal(text, err)
	}
	got := all[0].Runners
	slices.SortFunc(
		got,
		func(a, b map[string]any) int { return strings.Compare(fmt.Sprint(a["url"]), fmt.Sprint(b["url"])) },
	)
	want := []map[string]any{
		{
			"url": service + "/apps/" + ids[0] + "/session", "app": "demo/x", "mode": "persistent", "capacity": 2.,
			"capacity_used": 1., "capacity_available": 1., "metadata": "m", "gpu": map[string]any{"id": "1"},
		},
		{
			"url": service + "/run/c", "app": "demo/x", "mode": "single-shot", "capacity": 1., "capacity_used": 0.,
			"capacity_available": 1.,
		},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v\nwant %v", got, want)
	}
	if strings.Contains(text, runner.URL) {
		t.Error("it names a runner's own address")
	}
}

// A single-shot request holds its slot while it runs, and gives it back.
func TestASingleShotSlot(t *testing.T) {
	t.Parallel()
	n, runner := start(t, ""), echo(t)
	n.register(t, static("s", runner.URL, `,"mode":"single-shot","routing":"label"`))
	held := n.request(t, "GET", "/apps/s/app/hold", "")
	if status, text := n.text(t, "GET", "/apps/s/app/echo"); status != http.StatusServiceUnavailable {
		t.Error(status, text)
	}
	held.Body.Close()
	until(
		t,
		"the slot is free",
		func() bool { status, _ := n.text(t, "GET", "/apps/s/app/echo"); return status == 200 },
	)
}

// What a session has ends with it: requests and sockets that run, channels, proxy URLs.
func TestASessionEndsEverywhere(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*testing.T, *node, string){
		"stop": func(t *testing.T, n *node, path string) {
			if status, text := n.text(t, "POST", path+"/stop"); status != http.StatusNoContent {
				t.Error(status, text)
			}
		},
		"an ill runner": func(t *testing.T, n *node, _ string) {
			n.register(t, static("a", "http://127.0.0.1:1", ""))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n, runner := start(t, ""), sockets(t)
			ids := n.register(t, static("a", runner.URL, ""))
			path := n.session(t, ids[0])
			held := n.request(t, "GET", path+"/app/hold", "")
			ws := n.upgrade(t, path+"/app/ws")
			var made struct {
				URL      string
				Channels []struct{ URL string }
			}
			token := n.token(t, path)
			inner := strings.Replace(path, "/apps/", "/runner/", 1)
			channels := n.request(
				t,
				"POST",
				inner+"/channels",
				`{"channels":[{"name":"c"}]}`,
				"Livepeer-Session-Token",
				token,
			)
			if err := json.NewDecoder(channels.Body).Decode(&made); err != nil {
				t.Fatal(err)
			}
			proxy := n.request(t, "POST", inner+"/proxy", "", "Livepeer-Session-Token", token)
			if err := json.NewDecoder(proxy.Body).Decode(&made); err != nil {
				t.Fatal(err)
			}
			reader := n.request(t, "GET", strings.TrimPrefix(made.Channels[0].URL, service)+"/next", "")
			if reader.StatusCode != http.StatusOK {
				t.Fatal(reader.Status)
			}
			end(t, n, path)
			if _, err := io.ReadAll(held.Body); err == nil {
				t.Error("a request went on to its end")
			}
			if _, err := ws.in.ReadByte(); err == nil {
				t.Error("a socket goes on")
			}
			for _, u := range []string{made.URL, made.Channels[0].URL + "/next", service + path + "/app/echo"} {
				if status, text := n.text(t, "GET", strings.TrimPrefix(u, service)); status != http.StatusNotFound {
					t.Error(u, status, text)
				}
			}
		})
	}
}

// sockets is a runner that also upgrades to a protocol that sends back what it gets.
func sockets(t *testing.T) *httptest.Server {
	t.Helper()
	plain := echo(t)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/ws") {
			plain.Config.Handler.ServeHTTP(w, r)
			return
		}
		conn, in, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		defer conn.Close()
		_, _ = io.WriteString(
			conn,
			"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
		)
		_, _ = io.Copy(conn, in)
	}))
	t.Cleanup(srv.CloseClientConnections)
	return srv
}

type socket struct {
	net.Conn
	in *bufio.Reader
}

// upgrade opens a socket through the node and sends a message to and fro.
func (n *node) upgrade(t *testing.T, path string) *socket {
	t.Helper()
	conn, err := net.Dial("tcp", n.public.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	_, _ = fmt.Fprintf(
		conn,
		"GET %s HTTP/1.1\r\nHost: orch.test:8935\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
		path,
	)
	s := &socket{conn, bufio.NewReader(conn)}
	res, err := http.ReadResponse(s.in, nil)
	if err != nil || res.StatusCode != http.StatusSwitchingProtocols {
		t.Fatal(res, err)
	}
	_, _ = io.WriteString(conn, "hello")
	got := make([]byte, 5)
	if _, err := io.ReadFull(s.in, got); err != nil || string(got) != "hello" {
		t.Fatalf("%q %v", got, err)
	}
	return s
}

// token is what the runner gets to act for a session.
func (n *node) token(t *testing.T, path string) string {
	t.Helper()
	_, text := n.text(t, "GET", path+"/app/echo")
	var seen struct{ Headers map[string]string }
	if err := json.Unmarshal([]byte(text), &seen); err != nil {
		t.Fatal(text, err)
	}
	return seen.Headers["Livepeer-Session-Token"]
}

// A session's channels keep no type of any length.
func TestALongTypeIsRefused(t *testing.T) {
	t.Parallel()
	n, runner := start(t, ""), echo(t)
	path := n.session(t, n.register(t, static("a", runner.URL, ""))[0])
	res := n.request(t, "POST", strings.Replace(path, "/apps/", "/runner/", 1)+"/channels",
		`{"channels":[{"name":"c","mime_type":"`+strings.Repeat("x", 257)+`"}]}`, "Livepeer-Session-Token", n.token(t, path))
	if res.StatusCode != http.StatusBadRequest {
		t.Error(res.Status)
	}
}

// Bytes of an answer reach the client as they come.
func TestAnswersStream(t *testing.T) {
	t.Parallel()
	n := start(t, "")
	next := make(chan string)
	runner := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/health") {
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for s := range next {
			_, _ = io.WriteString(w, s)
			_ = http.NewResponseController(w).Flush()
		}
	}))
	t.Cleanup(runner.Close)
	path := n.session(t, n.register(t, static("a", runner.URL, ""))[0])
	go func() { next <- "data: 0\n\n" }()
	res := n.request(t, "GET", path+"/app/sse", "")
	for i := range 3 {
		want := fmt.Sprintf("data: %d\n\n", i)
		got := make([]byte, len(want))
		if _, err := io.ReadFull(res.Body, got); err != nil || string(got) != want {
			t.Fatalf("%q %v", got, err)
		}
		if i < 2 {
			next <- fmt.Sprintf("data: %d\n\n", i+1)
		}
	}
	close(next)
}

// A runner that cannot be reached is named by no address, and its session stays.
func TestARunnerThatCannotBeReached(t *testing.T) {
	t.Parallel()
	n, runner := start(t, ""), echo(t)
	ids := n.register(
		t,
		fmt.Sprintf(`{"label":"a","app":"x","runner_url":"http://127.0.0.1:1","health_url":"%s/health"}`,
			runner.URL),
	)
	path := n.session(t, ids[0])
	status, text := n.text(t, "GET", path+"/app/x")
	if status != http.StatusBadGateway || strings.Contains(text, "127.0.0.1") {
		t.Error(status, text)
	}
	if status, text := n.text(t, "POST", path+"/stop"); status != http.StatusNoContent {
		t.Error(status, text)
	}
}

// What shows no secret is read no further than an honest heartbeat is long, whatever it announces.
func TestHeartbeatsOfStrangersAreShort(t *testing.T) {
	t.Parallel()
	n := start(t, "topsecret")
	body := `{"runner_url":"http://127.0.0.1:1","app":"x","session_ids":["` + strings.Repeat("x", 100<<10) + `"]}`
	for secret, want := range map[string]int{"topsecret": http.StatusOK, "": http.StatusBadRequest} {
		if res := n.request(t, "POST", "/runners/heartbeat", body, "Authorization", secret); res.StatusCode != want {
			t.Errorf("%q: %s", secret, res.Status)
		}
	}
}

// The node's own address stays the node's where it looks like a proxy URL.
func TestTheServiceIsNoProxyURL(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{"id.runs.test": true, "orch.runs.test": false, "ORCH.runs.test": false} {
		r := httptest.NewRequest(http.MethodGet, "/segment", nil)
		r.Host = host
		got, err := liverunner.IsProxyURL("https://{proxy}.runs.test", "https://orch.runs.test", r)
		if err != nil || got != want {
			t.Errorf("%s: %v, %v", host, got, err)
		}
	}
}

// A client has a WebSocket through the node, and no other protocol.
func TestNoOtherProtocolIsPassedOn(t *testing.T) {
	t.Parallel()
	n, runner := start(t, ""), sockets(t)
	path := n.session(t, n.register(t, static("a", runner.URL, ""))[0])
	res := n.request(t, "GET", path+"/app/echo", "", "Connection", "Upgrade", "Upgrade", "h2c")
	var seen struct{ Headers map[string]string }
	if err := json.NewDecoder(res.Body).Decode(&seen); err != nil || seen.Headers["Upgrade"] != "" {
		t.Error(seen.Headers, err)
	}
}

// A runner gets events about its sessions by its channel, and signs of life.
func TestEvents(t *testing.T) {
	t.Parallel()
	n := start(t, "topsecret")
	beat := n.request(
		t,
		"POST",
		"/runners/heartbeat",
		`{"runner_url":"http://127.0.0.1:1","app":"x"}`,
		"Authorization",
		"topsecret",
	)
	var b struct {
		ID     string               `json:"runner_id"`
		Events struct{ URL string } `json:"o2r"`
		Secret string               `json:"heartbeat_secret"`
	}
	if err := json.NewDecoder(beat.Body).Decode(&b); err != nil {
		t.Fatal(err)
	}
	path := n.session(t, b.ID)
	n.text(t, "POST", path+"/stop")
	events := strings.TrimPrefix(b.Events.URL, service)
	for i, want := range []string{"reserved", "released"} {
		_, text := n.text(t, "GET", fmt.Sprintf("%s/%d", events, i))
		var e struct{ Event, Session, Timestamp string }
		if err := json.Unmarshal([]byte(text), &e); err != nil || e.Event != want ||
			!strings.HasSuffix(path, e.Session) ||
			e.Timestamp != "2001-09-09T01:46:40Z" {
			t.Error(text, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- n.Run(ctx, func() {}) }()
	n.request(t, "POST", "/runners/"+b.ID+"/unregister", "", "Authorization", b.Secret)
	if status, _ := n.text(t, "GET", events+"/next"); status != http.StatusNotFound {
		t.Error("the channel outlives its runner")
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatal("not in time: " + what)
		}
	}
}

func TestProxyURLs(t *testing.T) {
	t.Parallel()
	for form, want := range map[string]string{
		"":                                  service + "/run/ID",
		"https://{proxy}.runs.test":         "https://ID.runs.test",
		"https://{proxy}.runs.test:8443/":   "https://ID.runs.test:8443",
		"https://runs.test/a/{proxy}":       "https://runs.test/a/ID",
		"https://runs.test/{proxy}/b":       "",
		"https://runs.test/a":               "",
		"https://{proxy}.runs.test/{proxy}": "",
		"ftp://runs.test/{proxy}":           "",
		"runs.test/{proxy}":                 "",
		"https://{proxy}":                   "",
		"https://runs.test/pre{proxy}":      "",
		"https://{proxy}.runs.test/below":   "",
	} {
		got, err := liverunner.ProxyURL(form, service, "ID")
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", form, got, err)
		}
	}
}
