package worker_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"
)

const (
	// groupEnv names the control group that a copy of this program goes into.
	groupEnv = "TUTTI_TEST_GROUP"
	// groupThreads is how many threads the group has, spareThreads how many of them a
	// node that has much to do starts at once.
	groupThreads, spareThreads = 1200, 200
)

// TestThreadsAreLeftToTheNode: a container or service has so many threads. Media that
// takes over a codec takes what it gets, and the node, which ends where it gets none,
// goes on.
func TestThreadsAreLeftToTheNode(t *testing.T) {
	if group := os.Getenv(groupEnv); group != "" {
		threadsInGroup(t, group)
		return
	}
	group := pidsGroup(t)
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), groupEnv+"="+group)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %.2000s", err, out)
	}
}

// threadsInGroup is the node's part: it stands for one that is in a container.
func threadsInGroup(t *testing.T, group string) {
	own := strconv.Itoa(os.Getpid())
	if err := os.WriteFile(filepath.Join(group, "cgroup.procs"), []byte(own), 0o600); err != nil {
		t.Fatal(err)
	}
	c := start(t, nil)
	_, err := c.Transcode(t.Context(), job("s", fmt.Sprintf("do:threads %d", groupThreads-spareThreads/2)))
	t.Log(err)
	var started sync.WaitGroup
	stop := make(chan struct{})
	defer close(stop)
	for range spareThreads {
		started.Add(1)
		go func() {
			runtime.LockOSThread()
			started.Done()
			<-stop
		}()
	}
	started.Wait()
}

// pidsGroup makes a control group with few threads.
func pidsGroup(t *testing.T) string {
	t.Helper()
	for _, base := range []string{"/sys/fs/cgroup/pids", "/sys/fs/cgroup"} {
		group := filepath.Join(base, fmt.Sprintf("tutti-test-%d", os.Getpid()))
		if os.Mkdir(group, 0o700) != nil {
			continue
		}
		t.Cleanup(func() { _ = os.Remove(group) })
		if os.WriteFile(filepath.Join(group, "pids.max"), []byte(strconv.Itoa(groupThreads)), 0o600) == nil {
			return group
		}
	}
	t.Skip("no control group can be made here")
	return ""
}
