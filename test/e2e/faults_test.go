package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tuttinode/tutti/test/harness"
)

// workers lists the media workers among a process's children.
func workers(t *testing.T, pid int) []int {
	t.Helper()
	var out []int
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		text, _ := os.ReadFile(task)
		for _, field := range strings.Fields(string(text)) {
			child, err := strconv.Atoi(field)
			if err != nil {
				t.Fatal(err)
			}
			cmdline, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", child))
			if strings.Contains(string(cmdline), "media-worker") {
				out = append(out, child)
			}
		}
	}
	return out
}

// TestWorkerFaults hurts the media worker while three streams run: more, two busy cores may not bear. No client may
// see a failed segment, and the node must be whole afterwards.
func TestWorkerFaults(t *testing.T) {
	for name, hurt := range map[string]func(pid int){
		"killed":  func(pid int) { _ = syscall.Kill(pid, syscall.SIGKILL) },
		"stopped": func(pid int) { _ = syscall.Kill(pid, syscall.SIGSTOP) },
		// No allocation succeeds any more.
		"out of memory": func(pid int) { _ = unix.Prlimit(pid, unix.RLIMIT_AS, &unix.Rlimit{Cur: 1, Max: 1}, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			node, addr := orchestrator(t)
			_, gw := gateway(t, addr)
			segs := segments(t, small(4))
			var once sync.Once
			failed := streams(gw, 3, segs, func(_, segment int) {
				if segment == 1 {
					once.Do(func() {
						for _, pid := range workers(t, node.PID()) {
							hurt(pid)
						}
					})
				}
			})
			for _, err := range failed {
				t.Error(err)
			}
			node.Wait("a working media worker", 10*time.Second, func() bool { return len(workers(t, node.PID())) > 0 })
			if _, err := harness.Push(gw, "after", "0.ts", segs[0].Data, segs[0].Duration); err != nil {
				t.Errorf("after the fault: %v", err)
			}
		})
	}
}

// TestDrain asks one of two orchestrators to stop while streams run through both.
// Every segment still succeeds, and the process exits with status 0.
func TestDrain(t *testing.T) {
	first, a := orchestrator(t)
	second, b := orchestrator(t)
	_, gw := gateway(t, a+","+b)
	segs := segments(t, small(5))
	var once sync.Once
	failed := streams(gw, 3, segs, func(_, segment int) {
		if segment == 1 {
			once.Do(func() { first.Signal(syscall.SIGTERM) })
		}
	})
	for _, err := range failed {
		t.Error(err)
	}
	if status := first.Exit(40 * time.Second); status != 0 {
		t.Errorf("the drained orchestrator exited with %d, want 0", status)
	}
	second.Signal(syscall.SIGTERM)
	if status := second.Exit(40 * time.Second); status != 0 {
		t.Errorf("the idle orchestrator exited with %d, want 0", status)
	}
}
