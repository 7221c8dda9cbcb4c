package sandbox

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestScoreForTheKernel: a worker that wants the kernel to end the node in its place, when
// there is no memory left, is refused where the node may do that, and ended elsewhere.
func TestScoreForTheKernel(t *testing.T) {
	for _, device := range devices {
		t.Run(device.name, func(t *testing.T) {
			node, pid := device.node(t, t.TempDir())
			c := attach(t, pid)
			lowered := false
			for _, path := range []string{"/proc/self/oom_score_adj", "/proc/thread-self/oom_score_adj",
				fmt.Sprintf("/proc/self/task/%d/oom_score_adj", pid), fmt.Sprintf("/proc/%d/oom_score_adj", pid)} {
				fd, errno := c.call(unix.SYS_OPENAT, here, c.put(0, []byte(path)), unix.O_WRONLY)
				if errno != 0 {
					continue
				}
				n, _ := c.call(unix.SYS_WRITE, uint64(fd), c.put(512, []byte("0")), 1)
				lowered = lowered || n == 1
				if lowered {
					break // what follows is a race with its end
				}
			}
			if !lowered {
				c.detach()
				return
			}
			c.letGo()
			node.Wait("the worker's end by name", 20*time.Second, func() bool {
				return strings.Contains(node.Log(), "oom_score_adj") && workerOf(t, node.PID()) != pid
			})
		})
	}
}

// letGo is detach where the process may end at any moment.
func (c *tracee) letGo() {
	defer runtime.UnlockOSThread()
	_, _ = unix.PtracePokeData(c.pid, uintptr(c.code), c.text)
	_ = unix.PtraceSetRegs(c.pid, &c.saved)
	_ = unix.PtraceDetach(c.pid)
}
