package live

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/test/harness"
)

// node is an orchestrator with two runners that are of different owners.
type node struct {
	*harness.Process
	t      *testing.T
	uri    string
	admin  string
	routes [2]string
}

func start(t *testing.T) *node {
	t.Helper()
	var apps [2]string
	for i := range apps {
		app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, r.Header.Get("Livepeer-Session-Token"))
		}))
		t.Cleanup(app.Close)
		apps[i] = fmt.Sprintf(`{"label":"r%d","routing":"label","capacity":2,"app":"x","runner_url":%q,"health_url":"/h"}`,
			i, app.URL)
	}
	file := filepath.Join(t.TempDir(), "runners.json")
	if err := os.WriteFile(file, []byte(`{"runners":[`+strings.Join(apps[:], ",")+`]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	addr := harness.Address(t)
	admin := harness.Address(t)
	n := &node{t: t, uri: "https://" + addr, admin: "http://" + admin, routes: [2]string{"r0", "r1"}}
	n.Process = harness.Start(t, binary, "-orchestrator", "-serviceAddr", addr, "-httpAddr", addr, "-cliAddr",
		admin, "-enableCliTxRoutes", "-dataDir", t.TempDir(), "-useLiveRunners", "-orchSecret", "a secret of the operator",
		"-liveRunnerConfig", file)
	n.WaitHTTP(n.uri + "/healthz")
	n.WaitHTTP(n.admin + "/healthz") // the last part of a node that starts
	return n
}

// send sends a request and returns status and body.
func (n *node) send(method, path string, body io.Reader, headers ...string) (int, string) {
	n.t.Helper()
	r, err := http.NewRequestWithContext(n.t.Context(), method, n.uri+path, body)
	if err != nil {
		n.t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := harness.Client().Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	data, _ := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	return res.StatusCode, string(data)
}

// session reserves one and returns its id, and the token that its runner gets.
func (n *node) session(route string) (id, token string) {
	n.t.Helper()
	status, text := n.send("POST", "/apps/"+route+"/session", nil)
	var s struct {
		ID string `json:"session_id"`
	}
	if err := json.Unmarshal([]byte(text), &s); err != nil || status != http.StatusOK {
		n.t.Fatal(status, text)
	}
	_, token = n.send("GET", "/apps/"+route+"/session/"+s.ID+"/app/", nil)
	return s.ID, token
}

// TestARunnerReachesItsOwnSessionsAlone: a runner with the token of one of its sessions acts for no other
// session, opens proxies to no host but its own, and no client or stranger acts for a runner.
func TestARunnerReachesItsOwnSessionsAlone(t *testing.T) {
	n := start(t)
	private := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("a private host was asked")
	}))
	defer private.Close()
	own, token := n.session("r0")
	same, _ := n.session("r0")
	other, _ := n.session("r1")
	for _, target := range []string{"r0/session/" + same, "r1/session/" + other, "r1/session/" + own} {
		for _, call := range []string{"channels", "proxy", "stop"} {
			status, text := n.send("POST", "/runner/"+target+"/"+call, strings.NewReader(`{"channels":[{"name":"a"}]}`),
				"Livepeer-Session-Token", token)
			if status != http.StatusUnauthorized && status != http.StatusNotFound {
				t.Errorf("%s of %s: %d %s", call, target, status, text)
			}
		}
	}
	for _, session := range []string{"r0/session/" + same, "r1/session/" + other} {
		if status, text := n.send("GET", "/apps/"+session+"/app/", nil); status != http.StatusOK {
			t.Errorf("%s ended: %d %s", session, status, text)
		}
	}
	host := strings.Replace(private.URL, "127.0.0.1", "localhost", 1)
	for _, target := range []string{
		host, "http://127.0.0.2/", "http://169.254.169.254/", "file:///etc/passwd", "//127.0.0.2/", "http://[::1]/",
		"http://127.0.0.1.example.org/", "http://127.0.0.1@" + strings.TrimPrefix(host, "http://") + "/",
	} {
		status, text := n.send("POST", "/runner/r0/session/"+own+"/proxy", strings.NewReader(`{"target_url":"`+target+`"}`),
			"Livepeer-Session-Token", token)
		if status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", target, status, text)
		}
	}
	for _, guess := range []string{"", "a", "a secret of the operator", strings.Repeat("a", 52)} {
		if status, _ := n.send("POST", "/runner/r0/session/"+own+"/stop", nil, "Livepeer-Session-Token", guess); status !=
			http.StatusUnauthorized {
			t.Errorf("%q: %d", guess, status)
		}
	}
}

// TestARunnerLeadsToNoAdminPort: a runner on the node's machine may open proxies to other ports there. The admin
// port takes what comes by them as from elsewhere, also to read.
func TestARunnerLeadsToNoAdminPort(t *testing.T) {
	n := start(t)
	n.WaitHTTP(n.admin + "/status")
	id, token := n.session("r0")
	status, text := n.send("POST", "/runner/r0/session/"+id+"/proxy", strings.NewReader(`{"target_url":"`+n.admin+
		`"}`), "Livepeer-Session-Token", token)
	var p struct{ URL string }
	if err := json.Unmarshal([]byte(text), &p); err != nil || status != http.StatusOK {
		t.Fatal(status, text)
	}
	for _, path := range []string{"/api/v1/conditions", "/status", "/getLogLevel"} {
		if status, _ := harness.Get(t, n.admin+path); status != http.StatusOK {
			t.Fatalf("%s without a proxy: %d", path, status)
		}
		if status, text := n.send("GET", strings.TrimPrefix(p.URL, n.uri)+path, nil); status != http.StatusUnauthorized {
			t.Errorf("%s by a proxy of a runner: %d %s", path, status, text)
		}
	}
}

// TestPathsStayBelowARunners: a client reaches nothing on a runner's host above the path of its address.
func TestPathsStayBelowARunners(t *testing.T) {
	n := start(t)
	id, _ := n.session("r0")
	for _, path := range []string{"%2e%2e/x", "a/..%2f..%2fx", "..%5cx", "a/%2E%2e"} {
		if status, text := n.send("GET", "/apps/r0/session/"+id+"/app/"+path, nil); status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", path, status, text)
		}
	}
}

// TestStrangersRegisterNoRunner: without the secret no runner is registered, and what is tried costs
// little.
func TestStrangersRegisterNoRunner(t *testing.T) {
	n := start(t)
	const body = `{"runner_url":"http://127.0.0.1:1","app":"x"`
	for _, secret := range []string{"", "guess", "Bearer a secret of the operator"} {
		for _, id := range []string{"", `,"runner_id":"r0"`, `,"runner_id":"new"`, `,"runner_id":"../x"`} {
			status, text := n.send("POST", "/runners/heartbeat", strings.NewReader(body+id+"}"), "Authorization", secret)
			if status == http.StatusOK {
				t.Errorf("%q registered %s: %s", secret, id, text)
			}
		}
	}
	// With the secret, still not in the place of the operator's runner.
	status, text := n.send("POST", "/runners/heartbeat", strings.NewReader(body+`,"runner_id":"r0"}`), "Authorization",
		"a secret of the operator")
	if status == http.StatusOK {
		t.Error("a runner took the operator's runner's place: ", text)
	}
	large := io.LimitReader(zeros{}, 64<<20)
	if status, text := n.send("POST", "/runners/heartbeat", large); status == http.StatusOK {
		t.Error(text)
	}
	if _, text := n.send("GET", "/discovery", nil); strings.Count(text, `"app"`) != 2 {
		t.Error(text)
	}
}

// zeros never ends.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// TestChannelsHoldBoundedMemory: however much a publisher writes, however many channels there are and
// however slowly readers read, a session's channels hold a bounded part of the node's memory.
func TestChannelsHoldBoundedMemory(t *testing.T) {
	n := start(t)
	id, token := n.session("r0")
	inner := "/runner/r0/session/" + id
	opened := 0
	for batch := range 5 {
		var names []string
		for i := range 25 {
			names = append(names, fmt.Sprintf(`{"name":"c%d"}`, 25*batch+i))
		}
		status, _ := n.send("POST", inner+"/channels", strings.NewReader(`{"channels":[`+strings.Join(names, ",")+`]}`),
			"Livepeer-Session-Token", token)
		if status == http.StatusOK {
			opened += 25
		}
	}
	if opened > 64 {
		t.Errorf("%d channels of a session", opened)
	}
	path := "/ai/trickle/" + id + "-c0/"
	status, _ := n.send("POST", path+"0", io.LimitReader(zeros{}, 1<<30))
	if status == http.StatusOK {
		t.Error("a segment of a gigabyte was taken")
	}
	for i := 1; i < 40; i++ {
		n.send("POST", fmt.Sprint(path, i), io.LimitReader(zeros{}, 20<<20))
		if i%4 == 0 { // a reader that takes the head of an answer alone
			r, err := http.NewRequestWithContext(t.Context(), "GET", n.uri+path+"-2", nil)
			if err != nil {
				t.Fatal(err)
			}
			if res, err := harness.Client().Do(r); err == nil {
				defer res.Body.Close()
			}
		}
	}
	if got := resident(t, n.PID()); got > 600<<20 {
		t.Errorf("the node holds %d MB", got>>20)
	}
	if status, text := n.send("GET", "/apps/r1/session", nil); status != http.StatusMethodNotAllowed {
		t.Error(status, text)
	}
}

// Neither a runner that registers itself nor a request to the admin port makes the node execute anything.
func TestCommandsComeFromTheFileAlone(t *testing.T) {
	t.Parallel()
	n := start(t)
	mark := filepath.Join(t.TempDir(), "executed")
	command := fmt.Sprintf(`"command":["touch",%q],"image":"x","gpus":1`, mark)
	body := `{"runner_url":"http://127.0.0.1:1","app":"x",` + command + `}`
	status, text := n.send("POST", "/runners/heartbeat", strings.NewReader(body), "Authorization",
		"a secret of the operator")
	if status != http.StatusOK {
		t.Error(status, text)
	}
	for _, label := range []string{"new", "r0"} {
		list := fmt.Sprintf(`{"runners":[{"label":%q,"runner_url":"http://127.0.0.1:1","health_url":"/h","app":"x",`+
			`"command":["touch",%q]}]}`, label, mark)
		res, err := http.Post(n.admin+"/registerLiveRunners", "application/json", strings.NewReader(list))
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != http.StatusBadRequest ||
			!strings.Contains(string(text), "can only be in the file of -liveRunnerConfig") {
			t.Errorf("%s: %d %s", label, res.StatusCode, text)
		}
	}
	if _, text := n.send("GET", "/discovery", nil); strings.Count(text, `"url"`) != 3 {
		t.Error(text)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("it was executed")
	}
}
