package inventory_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/gpu/card"
	"github.com/tuttinode/tutti/test/harness"
)

// program is the node's, built where the kit has none.
func program(t *testing.T) string {
	t.Helper()
	binary, err := harness.Build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// tutti runs the node's program on the GPU and returns what it printed on standard
// output, and its exit status.
func tutti(t *testing.T, c *card.Card, binary string, args ...string) (string, int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Env = append(append(os.Environ(), "HOME="+t.TempDir()), c.Env()...)
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return string(out), exit.ExitCode()
	}
	if err != nil {
		card.NoError(t, err, "tutti "+strings.Join(args, " "), "")
	}
	return string(out), 0
}

// TestCardList is what an operator types first.
func TestCardList(t *testing.T) {
	c, binary := card.Open(t), program(t)
	begin := time.Now()
	table, status := tutti(t, c, binary, "gpu", "list")
	card.CheckThat(t, status == 0, "tutti gpu list", "status 0", fmt.Sprintf("status %d: %s", status, table),
		fmt.Sprintf("%.2f s", time.Since(begin).Seconds()))
	text, _ := tutti(t, c, binary, "gpu", "list", "-json")
	var found struct {
		GPUs []struct {
			card.Facts
			Usable, MIG bool
		} `json:"gpus"`
		Problems []struct{ Code, Detail string } `json:"problems"`
	}
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		card.NoError(t, err, "tutti gpu list -json", "")
		return
	}
	usable := 0
	for _, g := range found.GPUs {
		if g.Usable {
			usable++
		}
		card.RecordCheck(t, fmt.Sprintf("GPU %d of tutti gpu list", g.Index), fmt.Sprintf("%+v", g),
			fmt.Sprintf("%d MiB", g.Memory>>20))
	}
	card.CheckThat(t, usable > 0, "usable GPUs", "at least one",
		fmt.Sprintf("%d of %d; %+v", usable, len(found.GPUs), found.Problems), fmt.Sprint(usable))
}

// TestCardDoctor: the checks before a first start.
func TestCardDoctor(t *testing.T) {
	c := card.Open(t)
	text, _ := tutti(t, c, program(t), "doctor", "-json", "-only", "gpu", "-orchestrator", "-transcoder", "-gpu", "all",
		"-serviceAddr", "127.0.0.1:8935", "-dataDir", t.TempDir())
	var found struct {
		Results []struct {
			Name, Title, Status, Code string
			Evidence                  []string
		}
	}
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		card.NoError(t, err, "tutti doctor -json", "")
		return
	}
	looked := 0
	for _, r := range found.Results {
		if !strings.HasPrefix(r.Name, "gpu.") {
			continue
		}
		looked++
		what := "doctor: " + r.Name + ", " + r.Title
		seen := strings.TrimSpace(r.Status + " " + r.Code + " " + strings.Join(r.Evidence, "; "))
		switch r.Status {
		case "skip":
			card.SkipCheck(t, what, seen)
		case "warn":
			card.RecordCheck(t, what, seen, "")
		default:
			card.CheckThat(t, r.Status == "pass", what, "pass", seen, "")
		}
	}
	card.CheckThat(t, looked >= 5, "the doctor's checks of GPUs", "at least 5", fmt.Sprint(looked), "")
}

// TestCardTools keeps what the driver's own tool says, where it is installed.
func TestCardTools(t *testing.T) {
	out := os.Getenv("TUTTI_GPUKIT_OUT")
	path, err := exec.LookPath("nvidia-smi")
	if err != nil || !card.Open(t).Real() {
		card.SkipCheck(t, "nvidia-smi -q", "there is none, or it is not this driver's")
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	text, err := exec.CommandContext(ctx, path, "-q").CombinedOutput()
	card.NoError(t, err, "nvidia-smi -q", "")
	if out != "" {
		if err := os.WriteFile(filepath.Join(out, "nvidia-smi.txt"), text, 0o644); err != nil {
			t.Error(err)
		}
	}
}
