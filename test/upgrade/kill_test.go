package upgrade

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
)

// TestKilledInAnUpgrade: a process that is killed while one takes the other's place leaves no process that holds the
// sockets or the data directory and does not serve. Where the old one is left, it has the program as it was serve.
func TestKilledInAnUpgrade(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name             string
		killOld, killNew bool
	}{{"old", true, false}, {"new", false, true}, {"both", true, true}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			n := start(t, slowModel(t))
			next, old := n.upgrade(), n.p.PID()
			if c.killOld {
				n.kill(old)
			}
			if c.killNew {
				n.kill(next)
			}
			if c.killOld {
				// What waits for the old one's state ends without it; what has it serves.
				within(t, 60*time.Second, "the new process to end or serve", func() bool { return ended(next) || n.healthy() })
				n.kill(next)
				n.p = harness.Start(t, n.program(), n.args()...)
			} else {
				within(t, 60*time.Second, "the program as it was", func() bool { return n.successor() != 0 })
				third := n.successor()
				t.Cleanup(func() { _ = syscall.Kill(third, syscall.SIGKILL) })
			}
			n.up()
			seg := segments(t, 1)[0]
			if _, err := harness.Push(n.gateway(), "after", "0.ts", seg.Data, seg.Duration); err != nil {
				t.Error(err)
			}
		})
	}
}

// kill kills a process and waits for its end.
func (n *node) kill(pid int) {
	n.t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		n.t.Fatal(err)
	}
	within(n.t, 20*time.Second, "the end of a killed process", func() bool { return ended(pid) })
}

// ended reports whether a process has ended.
func ended(pid int) bool {
	state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(state), ") Z ")
}

// healthy reports whether the admin API answers.
func (n *node) healthy() bool {
	res, err := harness.Client().Get("http://" + n.admin + "/healthz")
	if err != nil {
		return false
	}
	_ = res.Body.Close()
	return res.StatusCode == http.StatusOK
}

// successor is the last process that took over, 0 for none.
func (n *node) successor() int {
	all := regexp.MustCompile(`another process serves process=(\d+)`).FindAllStringSubmatch(n.p.Log(), -1)
	if len(all) == 0 {
		return 0
	}
	pid, _ := strconv.Atoi(all[len(all)-1][1])
	return pid
}
