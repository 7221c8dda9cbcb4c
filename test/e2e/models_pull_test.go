package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	types "github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/engine"
	"github.com/tuttinode/tutti/test/harness"
)

// puller is tutti_cli at a node.
type puller struct {
	*aiNode
	cli  string
	args []string
}

func startPuller(t *testing.T, s setup) puller {
	t.Helper()
	cli, err := harness.BuildTool(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s.args = append(s.args, "-aiAllowUnverified", "-dataDir", dir)
	n := startNode(t, s)
	return puller{n, cli, []string{"--url", "http://" + n.admin, "--token-file", filepath.Join(dir, "admin.token"),
		"--yes", "--no-color", "models", "pull"}}
}

// pull runs `models pull` to its end.
func (p puller) pull(status int, says []string, words ...string) string {
	p.t.Helper()
	out, got := harness.Output(p.t, p.cli, append(p.args, words...)...)
	if got != status {
		p.t.Errorf("models pull %v: status %d, want %d\n%s", words, got, status, out)
	}
	for _, want := range says {
		if !strings.Contains(out, want) {
			p.t.Errorf("models pull %v does not say %q\n%s", words, want, out)
		}
	}
	return out
}

// TestPullAnImage of a model whose registry refuses it when the node starts: the reason is
// named, Ctrl-C ends the pull, and once the image is there the model is well.
func TestPullAnImage(t *testing.T) {
	t.Parallel()
	const id, about = "test/pulled", "llm test/pulled"
	e, registry := engine.Start(t), engine.StartRegistry(t)
	registry.Deny(true)
	image := registry.Host + "/own/ai-runner:1"
	cold := managed(e, t, id, nil)
	cold["warm"], cold["image"] = false, image
	p := startPuller(t, setup{engine: e, entries: []entry{cold}})
	p.condition(fault.ImageDenied, about)
	p.pull(1, []string{"ImageDenied: " + image, "Remedy:"}, id)
	p.pull(0, []string{image + " (missing)", "nothing (dry run)"}, id, "--dry-run")
	p.pull(1, []string{"AdminBadParam", "it has llm " + id}, "test/other")

	registry.Deny(false)
	release := registry.Hold()
	defer release()
	tool := harness.Start(t, p.cli, append(p.args, id)...)
	tool.Wait("progress", 30*time.Second, func() bool { return strings.Contains(tool.Log(), "Pulling image "+image) })
	tool.Signal(syscall.SIGINT)
	if status := tool.Exit(10 * time.Second); status != 3 || !strings.Contains(tool.Log(), "PullInterrupted") {
		t.Errorf("status %d\n%s", status, tool.Log())
	}
	p.Wait("the node to end the pull", 10*time.Second, func() bool {
		return len(p.warnings("change through the admin API failed", "code=Canceled")) == 1
	})
	release()

	p.pull(0, []string{"Pulling image " + image, "layers complete", image + " (pulled)", registry.Digest}, id)
	p.cleared()
	var answer adminapi.ModelPull
	err := json.Unmarshal([]byte(p.pull(0, nil, id, "--json")), &answer)
	if err != nil || len(answer.Parts) != 2 || answer.Parts[0].State != "present" {
		t.Errorf("%v, %+v", err, answer)
	}
	if _, err := e.API.ImageRemove(t.Context(), image, client.ImageRemoveOptions{}); err != nil {
		t.Error(err)
	}
}

// TestPullWhileTheNodeStops: the pull keeps no node from stopping, and fails.
func TestPullWhileTheNodeStops(t *testing.T) {
	t.Parallel()
	const id = "test/stopped"
	e, registry := engine.Start(t), engine.StartRegistry(t)
	registry.Deny(true)
	cold := managed(e, t, id, nil)
	cold["warm"], cold["image"] = false, registry.Host+"/own/ai-runner:1"
	p := startPuller(t, setup{engine: e, entries: []entry{cold}})
	p.condition(fault.ImageDenied, "llm "+id)
	registry.Deny(false)
	defer registry.Hold()()
	tool := harness.Start(t, p.cli, append(p.args, id)...)
	tool.Wait("progress", 30*time.Second, func() bool { return strings.Contains(tool.Log(), "Pulling image") })
	p.Signal(syscall.SIGTERM)
	if status := p.Exit(20 * time.Second); status != 0 {
		t.Errorf("the node: status %d", status)
	}
	if status := tool.Exit(10 * time.Second); status == 0 || !strings.Contains(tool.Log(), "Remedy:") {
		t.Errorf("tutti_cli: status %d\n%s", status, tool.Log())
	}
}

// TestPullByAContainer that may download its weights: it is started for that and stopped again.
func TestPullByAContainer(t *testing.T) {
	t.Parallel()
	const id = "test/downloads"
	e := engine.Start(t)
	cold := managed(e, t, id, nil)
	cold["warm"], cold["network"], cold["write_models"] = false, true, true
	p := startPuller(t, setup{engine: e, entries: []entry{cold}})
	p.pull(0, []string{"(present)", "Pulling weights " + id, id + " (pulled)"}, id)
	p.Wait("the container to be gone", 30*time.Second, func() bool {
		list, err := e.API.ContainerList(t.Context(), client.ContainerListOptions{All: true})
		return err == nil && !slices.ContainsFunc(list.Items, func(c types.Summary) bool {
			return strings.Contains(c.Labels["creator_id"], p.orch)
		})
	})
	_, gw := gateway(t, p.orch)
	mustAsk(t, gw+"/llm", "", chatRequest(id, 3, false))
}

// ollama is a server in the manner of Ollama that has no model until it has pulled one.
type ollama struct{ name atomic.Value }

func (o *ollama) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	has, _ := o.name.Load().(string)
	switch r.URL.Path {
	case "/v1/models":
		if has == "" {
			_, _ = io.WriteString(w, `{"object":"list","data":null}`)
			return
		}
		_, _ = fmt.Fprintf(w, `{"object":"list","data":[{"id":%q,"owned_by":"library"}]}`, has)
	case "/api/version":
		_, _ = io.WriteString(w, `{"version":"0.17.4"}`)
	case "/api/pull":
		var in struct{ Model string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.Model != "tiny:1b" {
			_, _ = io.WriteString(w, `{"error":"pull model manifest: file does not exist"}`)
			return
		}
		_, _ = io.WriteString(w, `{"status":"pulling aa","digest":"sha256:aa","total":2000,"completed":1000}
{"status":"success"}
`)
		o.name.Store(in.Model)
	case "/v1/chat/completions":
		one(w, r)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// TestPullByAServer: it pulls the model by the name of the entry, and offered at once.
func TestPullByAServer(t *testing.T) {
	t.Parallel()
	const id, unknown = "test/tiny", "test/unknown"
	s := httptest.NewServer(&ollama{})
	defer s.Close()
	named := llmEntry(id, s.URL)
	named["served_model"] = "tiny:1b"
	other := llmEntry(unknown, s.URL+"/")
	other["served_model"] = "nosuch"
	p := startPuller(t, setup{entries: []entry{named, other}})
	p.condition(fault.RunnerModelMissing, "llm "+id)
	p.pull(1, []string{"ModelPullFailed", "nosuch", "file does not exist", "served_model"}, unknown)
	p.pull(0, []string{"tiny:1b (pulled)"}, id)
	awaitModel(t, p.Process, p.orch, id, "ready")
	p.pull(0, []string{"tiny:1b (present)"}, id)
}
