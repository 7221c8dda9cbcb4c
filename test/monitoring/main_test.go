// Package monitoring has a real Prometheus, from the distribution's package, look at a
// running node: that it reads all metrics, takes every rule of deploy/monitoring, and
// reports what goes wrong.
package monitoring

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/test/harness"
)

// programs is the directory of prometheus and promtool, node the program under test,
// rules the file with the alerts.
var programs, node, rules string

func TestMain(m *testing.M) { os.Exit(harness.Main(prepare, m.Run)) }

// prepare gets both programs, the one while the other is built.
func prepare(dir string) (err error) {
	built := make(chan error, 1)
	go func() {
		var err error
		node, err = harness.Build(dir)
		built <- err
	}()
	out, err := exec.Command("../../deploy/deps/deps.sh", "prometheus").Output()
	if failed := <-built; failed != nil {
		return failed
	}
	if err != nil {
		return fmt.Errorf("the alerts are tried with a real Prometheus, and there is none: %w\nInstall it (apt-get "+
			"install prometheus), or let `make parts` get it", err)
	}
	programs = strings.TrimSpace(string(out))
	rules, err = filepath.Abs("../../deploy/monitoring/tutti-rules.yml")
	return err
}

// promtool runs it and returns what it says.
func promtool(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command(filepath.Join(programs, "promtool"), args...).CombinedOutput()
	if err != nil {
		t.Fatalf("promtool %v: %v\n%s", args, err, out)
	}
	return string(out)
}
