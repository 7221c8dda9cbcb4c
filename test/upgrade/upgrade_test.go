package upgrade

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/test/harness"
)

// TestUpgradeUnderLoad: four streams in real time and an answer that takes twelve
// seconds, while the process is replaced twice.
func TestUpgradeUnderLoad(t *testing.T) {
	t.Parallel()
	n := start(t, slowModel(t))
	gw := n.gateway()
	segs := segments(t, 8)
	var l load
	begun := make(chan struct{})
	l.chat(gw, begun)
	<-begun
	for i := range 4 {
		l.stream(gw, fmt.Sprintf("s%d", i), segs, time.Duration(i)*300*time.Millisecond)
	}
	within(t, 20*time.Second, "a session", func() bool { return n.drain().Sessions > 0 })
	first := n.upgrade()
	n.serves(first)
	begun = make(chan struct{})
	l.chat(gw, begun)
	<-begun
	second := n.upgrade()
	n.serves(second)
	l.settle(t, 4*len(segs)+2)
	n.ends(n.p.PID())
	n.ends(first)
	if strings.Contains(n.p.Log(), "cut off") {
		t.Error("something was cut off")
	}
}

// TestUpgradeThatFails: a program that does not start leaves everything as it was.
func TestUpgradeThatFails(t *testing.T) {
	t.Parallel()
	n := start(t, slowModel(t))
	gw := n.gateway()
	n.install([]byte("#!/bin/sh\necho this is not tutti >&2\nexit 3\n"))
	var u adminapi.Upgrade
	err := n.change(adminapi.PathUpgrade, nil, &u)
	if err == nil || !strings.Contains(err.Error(), "UpgradeFailed") {
		t.Errorf("got %v", err)
	}
	var c adminapi.Conditions
	n.read(adminapi.PathConditions, &c)
	if len(c.Conditions) != 1 || c.Conditions[0].Code != "UpgradeFailed" {
		t.Errorf("conditions %+v", c.Conditions)
	}
	segs := segments(t, 1)
	if _, err := harness.Push(gw, "still", "0.ts", segs[0].Data, segs[0].Duration); err != nil {
		t.Error(err)
	}
	n.install(readFile(t, binary))
	n.serves(n.upgrade())
	n.ends(n.p.PID())
}

// ends waits until a process is gone. Its output is not: the next one has it, too.
func (n *node) ends(pid int) {
	n.t.Helper()
	within(n.t, 20*time.Second, "an old process to end", func() bool {
		state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err != nil || strings.Contains(string(state), ") Z ")
	})
}

// serves waits until a process serves the admin API.
func (n *node) serves(pid int) {
	n.t.Helper()
	within(n.t, 20*time.Second, "the new process to serve", func() bool {
		return strings.Contains(n.p.Log(), fmt.Sprintf("another process serves process=%d", pid))
	})
}

// drain tells where a drain stands; the admin API may be between two processes.
func (n *node) drain() (d adminapi.Drain) {
	n.t.Helper()
	n.read(adminapi.PathDrain, &d)
	return d
}
