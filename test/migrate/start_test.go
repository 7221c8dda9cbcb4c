package migrate

import (
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
)

// patience is how long a start may take on a busy machine.
const patience = 60 * time.Second

// elsewhere puts a node off the chain and on addresses of this test's own; all else
// is as the operator wrote it.
func elsewhere(t *testing.T, kind string) (admin, flags string) {
	admin = harness.Address(t)
	flags = "-network=offchain -cliAddr=" + admin
	switch kind {
	case "orchestrator":
		flags += " -serviceAddr=" + harness.Address(t) + " -nvidia="
	case "transcoder":
		flags += " -orchAddr=" + harness.Address(t) + " -nvidia="
	case "gateway":
		flags += " -httpAddr=" + harness.Address(t) + " -rtmpAddr=" + harness.Address(t) + " -orchAddr=" +
			harness.Address(t)
	}
	return admin, flags
}

// The real program starts with what operators wrote, and stops with status 0 as a
// unit expects.
func TestCasesStart(t *testing.T) {
	t.Parallel()
	for name, kind := range map[string]string{
		"01-one-box.service": "orchestrator", "02-datadir.service": "orchestrator",
		"05-split-transcoder.service": "transcoder",
		"06-transcoder-cpu.sh":        "transcoder", "14-gateway-offchain.sh": "gateway", "17-config-file.sh": "orchestrator",
		"18-env-file.service": "orchestrator", "19-compose.yml": "orchestrator",
	} {
		t.Run(name, func(t *testing.T) {
			s := prepare(t, "testdata/cases/"+name)
			admin, flags := elsewhere(t, kind)
			cmd := s.command(t, "", flags)
			var log strings.Builder
			cmd.Stdout, cmd.Stderr = &log, &log
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			t.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
			answers(t, admin, ended, &log)
			stop(t, cmd, ended, &log)
		})
	}
}

// answers waits until the admin API does.
func answers(t *testing.T, admin string, ended chan error, log *strings.Builder) {
	t.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		resp, err := http.Get("http://" + admin + "/status")
		if err == nil {
			resp.Body.Close()
			return
		}
		select {
		case <-tick.C:
		case err := <-ended:
			t.Fatalf("it ended: %v\n%s", err, log)
		case <-deadline:
			t.Fatal("it does not answer")
		}
	}
}

// stop asks the whole group to end, as systemd and terminals do.
func stop(t *testing.T, cmd *exec.Cmd, ended chan error, log *strings.Builder) {
	t.Helper()
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		// A shell that was told to end says so, the node ends with 0.
		if err != nil && !strings.Contains(err.Error(), "signal: terminated") {
			t.Errorf("%v\n%s", err, log)
		}
	case <-time.After(patience):
		t.Error("it does not stop")
	}
}
