package upgrade

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/test/harness"
)

// node is an orchestrator whose program and configuration lie in files of the test.
type node struct {
	t                *testing.T
	p                *harness.Process
	dir, addr, admin string
}

// start starts one that transcodes and serves the model of an external server.
func start(t *testing.T, model string) *node {
	t.Helper()
	n := prepare(t, model)
	n.p = harness.Start(t, n.program(), n.args()...)
	n.up()
	return n
}

func (n *node) up() {
	n.t.Helper()
	n.p.WaitHTTP("https://" + n.addr + "/healthz")
	n.p.WaitHTTP("http://" + n.admin + "/healthz")
}

// prepare writes the node's files.
func prepare(t *testing.T, model string) *node {
	t.Helper()
	dir := t.TempDir()
	n := &node{t: t, dir: dir, addr: harness.Address(t), admin: harness.Address(t)}
	n.install(readFile(t, binary))
	n.configure("maxSessions 10\n")
	models, err := json.Marshal([]map[string]any{{"pipeline": "llm", "model_id": "m", "warm": true, "price_per_unit": 0,
		"pixels_per_unit": 1000000, "url": model, "capacity": 4}})
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "aiModels.json"), models, 0o600)
	return n
}

func (n *node) args() []string {
	return []string{
		"-orchestrator", "-transcoder", "-aiWorker", "-aiModels", filepath.Join(n.dir, "aiModels.json"), "-aiAllowUnverified",
		"-drainTimeout", "10s", "-serviceAddr", n.addr, "-httpAddr", n.addr, "-cliAddr", n.admin, "-dataDir",
		filepath.Join(n.dir, "data"), "-config", filepath.Join(n.dir, "tutti.conf"),
	}
}

func (n *node) program() string { return filepath.Join(n.dir, "tutti") }

// install puts a program on disk as a package manager does: another file of the name.
func (n *node) install(content []byte) {
	n.t.Helper()
	next := n.program() + ".new"
	writeFile(n.t, next, content, 0o700)
	if err := os.Rename(next, n.program()); err != nil {
		n.t.Fatal(err)
	}
}

func (n *node) configure(text string) {
	n.t.Helper()
	writeFile(n.t, filepath.Join(n.dir, "tutti.conf"), []byte(text), 0o600)
}

// change asks for a change; the status is in the error where it is none.
func (n *node) change(path string, body, answer any) error {
	n.t.Helper()
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			n.t.Fatal(err)
		}
	}
	req, err := http.NewRequest(http.MethodPost, "http://"+n.admin+path, bytes.NewReader(text))
	if err != nil {
		n.t.Fatal(err)
	}
	token := readFile(n.t, filepath.Join(n.dir, "data", adminapi.TokenFile))
	req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	res, err := harness.Client().Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	out, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%d %s", res.StatusCode, out)
	}
	return json.Unmarshal(out, answer)
}

// read reads a path of the API into a value.
func (n *node) read(path string, answer any) {
	n.t.Helper()
	_, body := harness.Get(n.t, "http://"+n.admin+path)
	if err := json.Unmarshal(body, answer); err != nil {
		n.t.Fatalf("%s: %v in %s", path, err, body)
	}
}

// upgrade replaces the process, and ends the new one with the test.
func (n *node) upgrade() int {
	n.t.Helper()
	var u adminapi.Upgrade
	if err := n.change(adminapi.PathUpgrade, nil, &u); err != nil {
		n.t.Fatal(err)
	}
	n.t.Cleanup(func() { _ = syscall.Kill(u.PID, syscall.SIGKILL) })
	return u.PID
}

// gateway starts a gateway that uses the node.
func (n *node) gateway() string {
	n.t.Helper()
	addr := harness.Address(n.t)
	p := harness.Start(n.t, binary, "-gateway", "-orchAddr", n.addr, "-httpAddr", addr, "-cliAddr", harness.Address(n.t),
		"-dataDir", n.t.TempDir(), "-transcodingOptions", "P144p30fps16x9")
	p.WaitHTTP("http://" + addr + "/healthz")
	return "http://" + addr
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	out, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func writeFile(t *testing.T, path string, content []byte, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, content, mode); err != nil {
		t.Fatal(err)
	}
}

// within polls until a condition holds.
func within(t *testing.T, limit time.Duration, what string, holds func() bool) {
	t.Helper()
	end := time.After(limit)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("waiting for %s: not within %v", what, limit)
		}
	}
}
