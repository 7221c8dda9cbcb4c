package e2e

import (
	"encoding/json"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
)

// TestMistakes starts the node wrongly: each mistake is named, says what to do,
// and ends with the status an operator's supervisor expects.
func TestMistakes(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { taken.Close() })
	for name, tc := range map[string]struct {
		args   []string
		status int
		says   []string
	}{
		"no role":          {nil, 2, []string{"NoRole", "-orchestrator", "-gateway"}},
		"unknown flag":     {[]string{"-orchestrater"}, 2, []string{"UnknownOption", "-orchestrator"}},
		"reward false":     {[]string{"-orchestrator", "-transcoder", "-reward", "false"}, 2, []string{"-reward=false"}},
		"bad max sessions": {[]string{"-orchestrator", "-transcoder", "-maxSessions", "0"}, 2, []string{"-maxSessions"}},
		"two GPU spellings": {[]string{"-orchestrator", "-transcoder", "-gpu", "0", "-nvidia", "1"}, 2,
			[]string{"-gpu", "-nvidia"}},
		"port in use": {[]string{"-orchestrator", "-transcoder", "-serviceAddr", taken.Addr().String(),
			"-httpAddr", taken.Addr().String(), "-cliAddr", harness.Address(t), "-dataDir", t.TempDir()}, 1,
			[]string{taken.Addr().String()}},
		"version": {[]string{"-version"}, 0,
			[]string{"Livepeer Node Version:", "Golang runtime version:", "Architecture:", "Operating system:"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, status := harness.Output(t, binary, tc.args...)
			if status != tc.status {
				t.Errorf("exit status %d, want %d", status, tc.status)
			}
			for _, want := range tc.says {
				if !strings.Contains(out, want) {
					t.Errorf("the output lacks %q:\n%s", want, out)
				}
			}
		})
	}
}

// TestConfigCheck says the verdict first, then what was set, with origins and no secret.
func TestConfigCheck(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	flags := []string{"config", "check", "-orchestrator", "-transcoder", "-serviceAddr", "h.example.org:8935",
		"-orchSecret", "hunter2"}
	out, status := command(t, home, flags...)
	if status != 0 || strings.Contains(out, "hunter2") || !strings.HasPrefix(out, "The configuration is valid.\n") ||
		strings.Count(out, "\n") > 16 {
		t.Errorf("status %d:\n%s", status, out)
	}
	if all, _ := command(t, home, append(flags, "--all")...); !strings.Contains(all, "maxSessions") ||
		strings.Contains(out, "maxSessions") {
		t.Errorf("what was not set is shown without --all alone:\n%s\n%s", out, all)
	}
	out, status = command(t, home, "config", "check", "-orchestrator", "-transcoder", "-maxSessions", "none", "-ticketEV",
		"x")
	if status != 2 || !strings.HasPrefix(out, "2 problems: the node would not start.\n") ||
		!strings.Contains(out, "ticketEV") {
		t.Errorf("two problems: status %d:\n%s", status, out)
	}
	var report struct {
		Valid, Starts bool
		Problems      []struct{ Code, Option, Origin, Text, Remedy string }
		Settings      []struct{ Option, Value, Origin string }
	}
	out, status = command(t, home, "config", "check", "--json", "-orchestrator", "-transcoder", "-maxSessions", "none")
	if err := json.Unmarshal([]byte(out), &report); err != nil || status != 2 {
		t.Fatalf("status %d, %v:\n%s", status, err, out)
	}
	if p := report.Problems; report.Valid || report.Starts || len(p) != 1 || p[0].Code != "BadOption" ||
		p[0].Option != "maxSessions" ||
		p[0].Origin != "flag -maxSessions" || p[0].Remedy == "" || len(report.Settings) != 3 {
		t.Errorf("%+v", report)
	}
}

// A models file that cannot be served is no reason not to start, and never "valid" alone.
func TestConfigCheckOfModels(t *testing.T) {
	t.Parallel()
	path := writeFile(t, "aiModels.json",
		`[{"pipeline": "llm", "model_id": "who/knows", "warm": true, "price_per_unit": 0, "url": "http://127.0.0.1:1"}]`)
	out, status := command(t, t.TempDir(), "config", "check", "-orchestrator", "-aiWorker", "-aiModels", path,
		"-serviceAddr", "127.0.0.1:8935")
	if status != 1 || !strings.HasPrefix(out, "The configuration is valid, but not every AI model would be served: ") ||
		!strings.Contains(out, "aiModels.json:1: model_id:") {
		t.Errorf("status %d:\n%s", status, out)
	}
}

// TestFailureExits ends with status 1, never 0, when a running node loses a part it
// cannot live without: here its admin port is taken.
func TestFailureExits(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	addr := harness.Address(t)
	p := harness.Start(t, binary, "-orchestrator", "-transcoder", "-serviceAddr", addr, "-httpAddr", addr,
		"-cliAddr", taken.Addr().String(), "-dataDir", t.TempDir())
	if status := p.Exit(20 * time.Second); status != 1 {
		t.Errorf("exit status %d, want 1", status)
	}
}
