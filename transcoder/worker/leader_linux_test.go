package worker

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

const endsLeader = "TUTTI_TEST_ENDS_LEADER"

// While packages are made ready, the Go runtime keeps to the process's first thread.
func init() {
	if os.Getenv(endsLeader) != "" {
		_, _, _ = syscall.RawSyscall(syscall.SYS_EXIT, 0, 0, 0)
	}
}

// TestMemoryOfAProcessWithoutItsFirstThread: the system shows nothing of a process's memory at a first thread that
// has ended. It is found at the others, so that no process hides its memory in this way, and one that is about to end
// is not taken for one that does.
func TestMemoryOfAProcessWithoutItsFirstThread(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), endsLeader+"=yes")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	pid := cmd.Process.Pid
	tick, limit := time.NewTicker(5*time.Millisecond), time.After(10*time.Second)
	defer tick.Stop()
	for stateOf(pid) != 'Z' || threadsOf(pid) < 2 {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatal("its first thread does not end")
		}
	}
	if _, shown := memoryIn(fmt.Sprintf("/proc/%d/status", pid)); shown {
		t.Error("the first thread shows memory, so this test is about nothing")
	}
	if used := usedBytes(pid); used < 1<<20 {
		t.Errorf("%d bytes in use", used)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if used := usedBytes(pid); used != 0 {
		t.Errorf("a process that is gone uses %d bytes", used)
	}
}
