package upgrade

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
)

// TestReloadUnderLoad: the limit changes ten times while streams run; a mistake leaves
// all as it was and is told.
func TestReloadUnderLoad(t *testing.T) {
	t.Parallel()
	n := start(t, slowModel(t))
	gw := n.gateway()
	segs := segments(t, 3)
	var l load
	for i := range 3 {
		l.stream(gw, fmt.Sprintf("s%d", i), segs, time.Duration(i)*200*time.Millisecond)
	}
	for i := range 10 {
		n.configure(fmt.Sprintf("maxSessions %d\n", 20+i))
		var out adminapi.Reloaded
		if err := n.change(adminapi.PathReload+"?dryRun=true", nil, &out); err != nil || len(out.Changes) != 1 ||
			out.Changes[0].State != adminapi.ReloadPending {
			t.Fatalf("dry run: %v %+v", err, out)
		}
		if err := n.change(adminapi.PathReload, nil, &out); err != nil || out.Changes[0].State != adminapi.ReloadApplied {
			t.Fatalf("%v %+v", err, out)
		}
		var s adminapi.Settings
		if n.read(adminapi.PathSettings, &s); string(s.MaxSessions) != fmt.Sprint(20+i) {
			t.Errorf("maxSessions is %s", s.MaxSessions)
		}
	}
	n.configure("maxSessions many\nresultMemory 300MB\n")
	n.p.Signal(syscall.SIGHUP)
	var c adminapi.Conditions
	within(t, 10*time.Second, "the mistake to be a condition", func() bool {
		n.read(adminapi.PathConditions, &c)
		return len(c.Conditions) == 1 && c.Conditions[0].Code == "ReloadFailed" &&
			strings.Contains(c.Conditions[0].Detail, "maxSessions")
	})
	n.configure("maxSessions 30\ncliAddr 127.0.0.1:1\nnodes https://other.example.org:8935\n")
	var out adminapi.Reloaded
	if err := n.change(adminapi.PathReload, nil, &out); err != nil || !out.Restart {
		t.Fatalf("%v %+v", err, out)
	}
	if n.read(adminapi.PathConditions, &c); len(c.Conditions) != 0 {
		t.Errorf("conditions %+v", c.Conditions)
	}
	l.settle(t, 3*len(segs))
}

// TestDrain: sessions go on, new ones are refused, and all of it is undone; then the
// node ends when nothing is left.
func TestDrain(t *testing.T) {
	t.Parallel()
	n := start(t, slowModel(t))
	gw := n.gateway()
	segs := segments(t, 4)
	var l load
	l.stream(gw, "old", segs, 0)
	within(t, 20*time.Second, "a session", func() bool { return n.drain().Sessions == 1 })
	var d adminapi.Drain
	if err := n.change(adminapi.PathDrain, adminapi.DrainChange{DeadlineSeconds: 600}, &d); err != nil ||
		d.State != adminapi.DrainDraining || d.Sessions != 1 || d.Deadline == nil {
		t.Fatalf("%v %+v", err, d)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	begun := make(chan struct{})
	err := chat(ctx, gw, begun)
	select {
	case <-begun: // the model answers at once
		t.Error("a draining node took a job")
	default:
		if err == nil {
			t.Error("another process did")
		}
	}
	if err := n.change(adminapi.PathDrain, adminapi.DrainChange{Cancel: true}, &d); err != nil ||
		d.State != adminapi.DrainServing {
		t.Fatalf("%v %+v", err, d)
	}
	l.settle(t, len(segs))
	if err := n.change(adminapi.PathDrain, adminapi.DrainChange{Stop: true, DeadlineSeconds: 1}, &d); err != nil {
		t.Fatal(err)
	}
	if status := n.p.Exit(30 * time.Second); status != 0 {
		t.Errorf("it ended with %d", status)
	}
}
