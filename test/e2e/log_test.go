package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
)

// The log of a quiet life: reads that do not apply leave no line, an action leaves one, a
// drain names no signal that was never sent, and the last line says how it ended.
func TestTheLogIsShort(t *testing.T) {
	t.Parallel()
	for name, stop := range map[string]func(*harness.Process, string, string){
		"signal": func(p *harness.Process, _, _ string) { p.Signal(syscall.SIGTERM) },
		"tutti_cli drain --stop": func(_ *harness.Process, admin, dir string) {
			adminPost(t, admin, dir, "/api/v1/drain", `{"stop": true}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			addr, admin, dir := harness.Address(t), harness.Address(t), t.TempDir()
			p := harness.Start(t, binary, "-orchestrator", "-transcoder", "-serviceAddr", addr, "-httpAddr", addr, "-cliAddr",
				admin, "-dataDir", dir)
			p.WaitHTTP("http://" + admin + "/-/ready")
			for _, path := range []string{"/ethAddr", "/tokenBalance", "/getBroadcastConfig", "/orchestratorInfo"} {
				_, _ = harness.Get(t, "http://"+admin+path)
			}
			adminPost(t, admin, dir, "/setMaxSessions?maxSessions=4", "")
			stop(p, admin, dir)
			if status := p.Exit(40 * time.Second); status != 0 {
				t.Errorf("status %d", status)
			}
			log := p.Log()
			if n := strings.Count(log, "setMaxSessions") + strings.Count(log, "session limit"); n != 1 {
				t.Errorf("%d lines about one action", n)
			}
			if strings.Contains(log, "admin request refused") {
				t.Error("reads that do not apply are in the log")
			}
			lines := strings.Split(strings.TrimSpace(log), "\n")
			if last := lines[len(lines)-1]; !strings.Contains(last, "] stopped took=") ||
				!strings.Contains(last, "segments_lost=0") {
				t.Errorf("the last line is %s", last)
			}
			if name != "signal" && strings.Contains(log, "signal=") {
				t.Error("a signal is named that was not sent")
			}
		})
	}
}

// adminPost changes something with the node's own token.
func adminPost(t *testing.T, admin, dir, path, body string) {
	t.Helper()
	token, err := os.ReadFile(filepath.Join(dir, "admin.token"))
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequest(http.MethodPost, "http://"+admin+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := harness.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode >= 300 {
		t.Fatalf("%s: %s", path, resp.Status)
	}
}
