package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/fakegpu"
	"github.com/tuttinode/tutti/test/harness"
)

// device is what a media worker works on.
type device struct {
	name string
	args []string
	// env is what the node's environment has for it.
	env func(t *testing.T) []string
	// calls are the system calls that do something there whatever their arguments.
	calls []string
}

// watcher is the process that asks the driver of GPUs how they are.
var watcher = device{
	name: "watcher of GPUs", args: []string{"-gpu", "all", "-testTranscoder=false"},
	env:   func(t *testing.T) []string { return fakegpu.Build(t).Env() },
	calls: slices.Concat(processorCalls, driverCalls, watcherCalls),
}

// watches starts a node with GPUs, and returns the process that watches them.
func watches(t *testing.T) int {
	t.Helper()
	node, _ := watcher.node(t, t.TempDir())
	var pid int
	node.Wait("a filter around what watches GPUs", 30*time.Second, func() bool {
		pid = childOf(t, node.PID(), "gpu-watch")
		return pid != 0 && status(pid, "Seccomp_filters:") >= "1"
	})
	return pid
}

var devices = []device{
	{name: "processor", calls: processorCalls},
	{
		name: "GPU", args: []string{"-gpu", "all", "-testTranscoder=false"},
		env:   func(t *testing.T) []string { return fakegpu.Build(t).Env() },
		calls: slices.Concat(processorCalls, driverCalls),
	},
}

// worker starts a node with the device and returns its media worker's process.
func (d device) worker(t *testing.T) int {
	t.Helper()
	_, pid := d.node(t, t.TempDir())
	return pid
}

// node starts a node with the device, and returns it and its media worker's process.
func (d device) node(t *testing.T, data string) (*harness.Process, int) {
	t.Helper()
	addr := harness.Address(t)
	var env []string
	if d.env != nil {
		env = d.env(t)
	}
	p := harness.StartIn(t, program, env, append([]string{"-orchestrator", "-transcoder", "-serviceAddr", addr,
		"-httpAddr", addr, "-cliAddr", harness.Address(t), "-dataDir", data}, d.args...)...)
	p.WaitHTTP("https://" + addr + "/healthz")
	var pid int
	p.Wait("a media worker that serves", 30*time.Second, func() bool {
		pid = workerOf(t, p.PID())
		return pid != 0 && serves(pid)
	})
	return p, pid
}

// workerOf is the media worker among a process's children, 0 without one.
func workerOf(t *testing.T, pid int) int {
	t.Helper()
	return childOf(t, pid, "media-worker")
}

// childOf is a process's child with that word among its arguments, 0 without one.
func childOf(t *testing.T, pid int, word string) int {
	t.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		text, _ := os.ReadFile(task)
		for _, field := range strings.Fields(string(text)) {
			cmdline, _ := os.ReadFile("/proc/" + field + "/cmdline")
			if child, err := strconv.Atoi(field); err == nil && strings.Contains(string(cmdline), word) {
				return child
			}
		}
	}
	return 0
}

// serves reports whether a worker has applied its last restriction: it has no privileges, and
// two filters.
func serves(pid int) bool {
	return status(pid, "CapPrm:") == "0000000000000000" && status(pid, "Seccomp_filters:") >= "2"
}

// status is a line of what the system shows of a process.
func status(pid int, name string) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if v, ok := strings.CutPrefix(line, name); ok {
			return strings.TrimSpace(v)
		}
	}
	return ""
}
