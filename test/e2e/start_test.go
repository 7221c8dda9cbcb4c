package e2e

import (
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
		"no role":           {nil, 2, []string{"NoRole", "-orchestrator", "-gateway"}},
		"unknown flag":      {[]string{"-orchestrater"}, 2, []string{"UnknownOption", "-orchestrator"}},
		"reward false":      {[]string{"-orchestrator", "-transcoder", "-reward", "false"}, 2, []string{"-reward=false"}},
		"bad max sessions":  {[]string{"-orchestrator", "-transcoder", "-maxSessions", "0"}, 2, []string{"-maxSessions"}},
		"two GPU spellings": {[]string{"-orchestrator", "-transcoder", "-gpu", "0", "-nvidia", "1"}, 2, []string{"-gpu", "-nvidia"}},
		"port in use": {[]string{"-orchestrator", "-transcoder", "-serviceAddr", taken.Addr().String(),
			"-httpAddr", taken.Addr().String(), "-cliAddr", harness.Address(t), "-dataDir", t.TempDir()}, 1, []string{taken.Addr().String()}},
		"version": {[]string{"-version"}, 0, []string{"Livepeer Node Version:", "Golang runtime version:", "Architecture:", "Operating system:"}},
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

// TestConfigCheck prints the effective configuration with origins and no secret.
func TestConfigCheck(t *testing.T) {
	out, status := harness.Output(t, binary, "config", "check", "-orchestrator", "-transcoder", "-orchSecret", "hunter2")
	if status != 0 || strings.Contains(out, "hunter2") || !strings.Contains(out, "orchestrator") {
		t.Errorf("status %d:\n%s", status, out)
	}
	out, status = harness.Output(t, binary, "config", "check", "-orchestrator", "-transcoder", "-maxSessions", "none", "-ticketEV", "x")
	if status != 2 || !strings.Contains(out, "maxSessions") || !strings.Contains(out, "ticketEV") {
		t.Errorf("two problems: status %d:\n%s", status, out)
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
