package e2e

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/moby/moby/client"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/engine"
	"github.com/tuttinode/tutti/test/harness"
)

// aiNode is an orchestrator with models, and where to ask it how it is.
type aiNode struct {
	*harness.Process
	t           *testing.T
	orch, admin string
}

// setup is how an aiNode is started.
type setup struct {
	// models is what -aiModels gets: a path or a list in place. entries are written
	// to a file instead.
	models  string
	entries []entry
	// engine is where it starts containers; without one there is none.
	engine *engine.Engine
	// orch is its address, "" takes a free one.
	orch string
	env  []string
	args []string
}

// startNode starts an orchestrator that takes any model ID and waits until it
// answers. Its containers go with the test.
func startNode(t *testing.T, s setup) *aiNode {
	t.Helper()
	if s.orch == "" {
		s.orch = harness.Address(t)
	}
	host := "unix://" + filepath.Join(t.TempDir(), "none.sock")
	if s.engine != nil {
		host = s.engine.Host
		t.Cleanup(func() { removeContainers(t, s.engine, s.orch) })
	}
	if s.entries != nil {
		s.models = writeModels(t, s.entries)
	}
	env := append([]string{"DOCKER_HOST=" + host}, s.env...)
	n := &aiNode{t: t, orch: s.orch, admin: harness.Address(t)}
	n.Process = harness.StartIn(t, binary, env, append([]string{"-orchestrator", "-aiWorker", "-aiModels", s.models,
		"-serviceAddr", n.orch, "-httpAddr", n.orch, "-cliAddr", n.admin, "-dataDir", t.TempDir()}, s.args...)...)
	n.WaitHTTP("https://" + n.orch + "/healthz")
	n.WaitHTTP("http://" + n.admin + "/healthz")
	return n
}

// writeModels writes a models file and returns its path.
func writeModels(t *testing.T, entries []entry) string {
	t.Helper()
	text, err := json.MarshalIndent(entries, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return writeFile(t, "aiModels.json", string(text))
}

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// removeContainers removes what a node that was killed left at the engine.
func removeContainers(t *testing.T, e *engine.Engine, owner string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context()) // it has ended
	list, err := e.API.ContainerList(ctx, client.ContainerListOptions{All: true})
	if err != nil {
		t.Error(err)
		return
	}
	for _, c := range list.Items {
		if strings.Contains(c.Labels["creator_id"], owner) {
			_, _ = e.API.ContainerRemove(ctx, c.ID, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
		}
	}
}

// condition is one line of the admin API's list.
type condition struct {
	Code, About, Detail, Cause, Remedy string
}

func (n *aiNode) conditions() []condition {
	n.t.Helper()
	_, body := harness.Get(n.t, "http://"+n.admin+"/api/conditions")
	var out []condition
	if err := json.Unmarshal(body, &out); err != nil {
		n.t.Fatalf("%v in %s", err, body)
	}
	return out
}

// condition waits for a condition, which must come with the table's remedy.
func (n *aiNode) condition(code fault.Code, about string) condition {
	n.t.Helper()
	var found condition
	n.Wait(string(code)+" of "+about, time.Minute, func() bool {
		for _, c := range n.conditions() {
			if c.Code == string(code) && c.About == about {
				found = c
				return true
			}
		}
		return false
	})
	found.matches(n.t, code)
	return found
}

// matches checks that a condition has the code, and the cause and the remedy of the
// table.
func (c condition) matches(t *testing.T, code fault.Code) {
	t.Helper()
	row, known := fault.Lookup(code)
	if c.Code != string(code) || !known || row.Remedy == "" || c.Remedy != row.Remedy || c.Cause != row.Cause {
		t.Errorf("%s comes as %+v, and the table has %q", code, c, row.Remedy)
	}
}

// fails waits until a model has failed for a reason and checks how that is told:
// on /status, on the list of conditions and once in the log.
func (n *aiNode) fails(pipeline, id string, code fault.Code) condition {
	n.t.Helper()
	c := n.condition(code, pipeline+" "+id)
	var m modelStatus
	n.Wait(id+" to have failed", time.Minute, func() bool {
		m = model(n.t, n.orch, id)
		return m.State == "failed"
	})
	if m.Code != string(code) || m.Reason != c.Cause || m.Pipeline != pipeline {
		n.t.Errorf("%s: /status shows %+v, want %s", id, m, code)
	}
	n.warnedOnce(code, `about="`+c.About+`"`)
	return c
}

// warnedOnce checks that the log has one warning of a code with these words in it,
// and that it says what to do.
func (n *aiNode) warnedOnce(code fault.Code, words ...string) {
	n.t.Helper()
	words = append(words, "code="+string(code)+" ")
	var lines []string
	n.Wait("a warning of "+string(code), 10*time.Second, func() bool {
		lines = n.warnings(words...)
		return len(lines) > 0
	})
	if len(lines) != 1 || !strings.Contains(lines[0], "remedy=") {
		n.t.Errorf("%s %v: the log warns %d times, want one with a remedy:\n%s", code, words, len(lines),
			strings.Join(lines, "\n"))
	}
}

// warnings are the log's lines of level warning and above that have all words.
func (n *aiNode) warnings(words ...string) (out []string) {
	for line := range strings.Lines(n.Log()) {
		match := strings.HasPrefix(line, "W") || strings.HasPrefix(line, "E")
		for _, w := range words {
			match = match && strings.Contains(line, w)
		}
		if match {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out
}

// notice is what /status says of models that are not served.
func (n *aiNode) notice() string {
	n.t.Helper()
	_, body := harness.Get(n.t, "https://"+n.orch+"/status")
	var status struct{ AI string }
	if err := json.Unmarshal(body, &status); err != nil {
		n.t.Fatalf("%v in %s", err, body)
	}
	return status.AI
}

// explained checks that the program explains codes.
func explained(t *testing.T, codes ...fault.Code) {
	t.Helper()
	for _, code := range codes {
		out, status := harness.Output(t, binary, "help", string(code))
		row, _ := fault.Lookup(code)
		if status != 0 || !strings.Contains(out, "Remedy:") ||
			!strings.Contains(out, strings.ReplaceAll(row.Remedy, "`", "")) {
			t.Errorf("tutti help %s: status %d\n%s", code, status, out)
		}
	}
}

// cleared waits until the node has nothing to complain of.
func (n *aiNode) cleared() {
	n.t.Helper()
	n.Wait("no condition", time.Minute, func() bool { return len(n.conditions()) == 0 })
}
