package worker

import (
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

// TestLeaderless: a process whose first thread has ended shows no memory, and is found
// by that.
func TestLeaderless(t *testing.T) {
	t.Parallel()
	if leaderless(os.Getpid()) {
		t.Error("this process has no first thread")
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), endsLeader+"=yes")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	pid := cmd.Process.Pid
	tick, limit := time.NewTicker(5*time.Millisecond), time.After(10*time.Second)
	defer tick.Stop()
	for !leaderless(pid) {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatal("not found")
		}
	}
	if n := usedBytes(pid); n != 0 {
		t.Errorf("it shows %d bytes, so this test is about nothing", n)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if leaderless(pid) {
		t.Error("a process that is gone counts as one")
	}
}
