package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/test/harness"
)

// liveSession is what a client gets of a reservation.
type liveSession struct {
	ID      string `json:"session_id"`
	App     string `json:"app_url"`
	Control string `json:"control_url"`
}

func reserveLive(t *testing.T, uri, route string) (s liveSession) {
	t.Helper()
	status, text := send(t, "POST", uri+"/apps/"+route+"/session", "")
	if err := json.Unmarshal([]byte(text), &s); err != nil || status != http.StatusOK {
		t.Fatal(status, text)
	}
	return s
}

// A node that stops refuses new live sessions by name, and ends when the last one has ended.
func TestLiveSessionsAreDrained(t *testing.T) {
	t.Parallel()
	app, _ := liveApp(t)
	node, uri, _ := startLive(t, fmt.Sprintf(
		`{"label":"studio","routing":"label","app":"x","runner_url":%q,"health_url":"/health"}`, app.URL),
		"-drainTimeout", "60s")
	s := reserveLive(t, uri, "studio")
	node.Signal(syscall.SIGTERM)
	node.Wait("new sessions to be refused", 20*time.Second, func() bool {
		status, text := send(t, "POST", uri+"/apps/studio/session", "")
		return status == http.StatusServiceUnavailable && text == "Draining: the orchestrator takes no new sessions\n"
	})
	if status, text := send(t, "GET", s.App+"/x", ""); status != http.StatusOK {
		t.Error("the session does not go on:", status, text)
	}
	if status, text := send(t, "POST", s.Control+"/stop", ""); status != http.StatusNoContent {
		t.Error(status, text)
	}
	if status := node.Exit(20 * time.Second); status != 0 {
		t.Error("status", status)
	}
}

// One runner is drained by its label while another takes sessions.
func TestALiveRunnerIsDrained(t *testing.T) {
	t.Parallel()
	app, _ := liveApp(t)
	entry := `{"label":%q,"routing":"label","app":"x","runner_url":%q,"health_url":"/health"}`
	dir := t.TempDir()
	_, uri, cli := startLiveIn(t, dir, fmt.Sprintf(entry, "a", app.URL)+","+fmt.Sprintf(entry, "b", app.URL))
	token, err := os.ReadFile(filepath.Join(dir, "admin.token"))
	if err != nil {
		t.Fatal(err)
	}
	if status, text := send(t, "POST", cli+adminapi.PathRunner, `{"name":"a","drain":true}`, "Content-Type",
		"application/json", "Authorization",
		"Bearer "+strings.TrimSpace(string(token))); status != http.StatusOK || !strings.Contains(text,
		`"state":"draining"`) {
		t.Fatal(status, text)
	}
	if status, text := send(t, "POST", uri+"/apps/a/session", ""); status != http.StatusServiceUnavailable {
		t.Error(status, text)
	}
	reserveLive(t, uri, "b")
	if _, text := send(t, "GET", uri+"/discovery", ""); strings.Contains(text, "/apps/a/") ||
		!strings.Contains(text, "/apps/b/") {
		t.Error(text)
	}
}

var taker = regexp.MustCompile(`another process serves process=(\d+)`)

// upgradeLive replaces the node by a successor.
func upgradeLive(t *testing.T, node *harness.Process) {
	t.Helper()
	node.Signal(syscall.SIGUSR2)
	node.Wait("the successor to serve", 60*time.Second, func() bool { return taker.MatchString(node.Log()) })
	pid, err := strconv.Atoi(taker.FindStringSubmatch(node.Log())[1])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
}

// An upgrade keeps sessions, tokens, slots and channels. A socket goes on in the old process and ends with its
// session, which is stopped in the new one.
func TestAnUpgradeKeepsLiveSessions(t *testing.T) {
	t.Parallel()
	app, _ := liveApp(t)
	node, uri, _ := startLive(t, fmt.Sprintf(
		`{"label":"studio","routing":"label","capacity":2,"app":"x","runner_url":%q,"health_url":"/health"}`, app.URL))
	s := reserveLive(t, uri, "studio")
	_, token := send(t, "GET", s.App+"/token", "")
	channels := uri + "/runner/studio/session/" + s.ID + "/channels"
	status, text := send(t, "POST", channels, `{"channels":[{"name":"out"}]}`, "Livepeer-Session-Token", token)
	var made struct{ Channels []struct{ URL string } }
	if err := json.Unmarshal([]byte(text), &made); err != nil || len(made.Channels) != 1 {
		t.Fatal(status, text)
	}
	out := made.Channels[0].URL
	send(t, "POST", out+"/0", "first")
	conn, in := openSocket(t, uri, s.App+"/ws")
	upgradeLive(t, node)

	echoes(t, conn, in)
	if status, again := send(t, "GET", s.App+"/token", ""); status != http.StatusOK || again != token {
		t.Error(status, again)
	}
	if status, text := send(t, "GET", out+"/next", ""); status != http.StatusOK || text != "1" {
		t.Error("the channel goes on at", status, text)
	}
	send(t, "POST", out+"/1", "second")
	if status, text := send(t, "GET", out+"/1", ""); status != http.StatusOK || text != "second" {
		t.Error(status, text)
	}
	if _, text := send(t, "GET", uri+"/discovery", ""); !strings.Contains(text, `"capacity_used":1`) {
		t.Error(text)
	}
	if status, text := send(t, "POST", s.Control+"/stop", ""); status != http.StatusNoContent {
		t.Error(status, text)
	}
	stopped := time.Now()
	if _, err := in.ReadByte(); err == nil {
		t.Error("a socket of a session that has ended goes on in the old process")
	}
	if took := time.Since(stopped); took > 4*time.Second {
		t.Error("it ended after", took)
	}
	if _, text := send(t, "GET", uri+"/discovery", ""); !strings.Contains(text, `"capacity_used":0`) {
		t.Error(text)
	}
	awaitEnd(t, node)
}

// awaitEnd waits until a process that another one took over from has ended.
func awaitEnd(t *testing.T, node *harness.Process) {
	t.Helper()
	node.Wait("the old process to end", 20*time.Second, func() bool {
		state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", node.PID()))
		return err != nil || strings.Contains(string(state), ") Z ")
	})
}

// The old process of an upgrade is stopped while it has a session's socket. The socket ends, and the session goes on in
// the new process with its token, slot and channel.
func TestAStopOfTheOldProcessKeepsLiveSessions(t *testing.T) {
	t.Parallel()
	app, _ := liveApp(t)
	node, uri, _ := startLive(t, fmt.Sprintf(
		`{"label":"studio","routing":"label","capacity":2,"app":"x","runner_url":%q,"health_url":"/health"}`, app.URL))
	s := reserveLive(t, uri, "studio")
	_, token := send(t, "GET", s.App+"/token", "")
	status, text := send(t, "POST", uri+"/runner/studio/session/"+s.ID+"/channels", `{"channels":[{"name":"out"}]}`,
		"Livepeer-Session-Token", token)
	var made struct{ Channels []struct{ URL string } }
	if err := json.Unmarshal([]byte(text), &made); err != nil || len(made.Channels) != 1 {
		t.Fatal(status, text)
	}
	conn, in := openSocket(t, uri, s.App+"/ws")
	upgradeLive(t, node)
	echoes(t, conn, in)

	node.Signal(syscall.SIGTERM)
	awaitEnd(t, node)
	if _, err := in.ReadByte(); err == nil {
		t.Error("a socket outlives its process")
	}
	again, in := openSocket(t, uri, s.App+"/ws")
	echoes(t, again, in)
	if status, text := send(t, "GET", s.App+"/token", ""); status != http.StatusOK || text != token {
		t.Error(status, text)
	}
	if status, text := send(t, "POST", made.Channels[0].URL+"/0", "first"); status != http.StatusOK {
		t.Error(status, text)
	}
	if _, text := send(t, "GET", uri+"/discovery", ""); !strings.Contains(text, `"capacity_used":1`) {
		t.Error(text)
	}
}
