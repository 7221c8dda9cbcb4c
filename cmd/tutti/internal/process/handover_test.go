package process

import (
	"context"
	"encoding/gob"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
)

// TestTakeOverAfterTheEnd: where parts of the old process have not stopped, the new one
// waits until all of it has ended.
func TestTakeOverAfterTheEnd(t *testing.T) {
	t.Parallel()
	ours, theirs := net.Pipe()
	p := &predecessor{conn: theirs, in: gob.NewDecoder(theirs), out: gob.NewEncoder(theirs)}
	taken := make(chan error, 1)
	go func() {
		_, err := p.await(t.Context())
		taken <- err
	}()
	in, out := gob.NewDecoder(ours), gob.NewEncoder(ours)
	var w word
	if err := in.Decode(&w); err != nil || w != wordWaiting {
		t.Fatalf("%q, %v", w, err)
	}
	artifacts := []orchestrate.KeptArtifact{{Data: []byte("png")}}
	left := &handoverState{AfterEnd: true, Orchestrator: orchestrate.HandoverState{Artifacts: artifacts}}
	if err := out.Encode(left); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-taken:
		t.Fatalf("it took over alongside the old process: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	if err := ours.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-taken; err != nil {
		t.Fatal(err)
	}
	q := &Process{before: p}
	if got := q.Inherited(); len(got.Artifacts) != 1 {
		t.Errorf("%+v", got)
	}
	if got := q.Inherited(); len(got.Artifacts) != 0 {
		t.Error("what was taken is kept twice")
	}
}

// cat is a process that waits with a line to this one.
func cat(t *testing.T) *successor {
	t.Helper()
	cmd := exec.Command("/bin/cat")
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ours, theirs := net.Pipe()
	go func() { _, _ = io.Copy(io.Discard, theirs) }()
	s := &successor{cmd: cmd, conn: ours, in: gob.NewDecoder(ours), out: gob.NewEncoder(ours), ended: make(chan struct{})}
	go func() {
		_ = cmd.Wait()
		close(s.ended)
	}()
	t.Cleanup(s.giveUp)
	return s
}

func quietProcess() *Process {
	log := slog.New(slog.DiscardHandler)
	return &Process{log: log, manager: systemd{log}, signals: newSignals(),
		drain: &drainer{log: log, now: time.Now}}
}

// TestStopEndsAnUpgrade: a node that was asked to stop is not taken over.
func TestStopEndsAnUpgrade(t *testing.T) {
	p, s := quietProcess(), cat(t)
	p.ask()
	if err := p.end(t.Context(), s, nil); err != nil {
		t.Fatal(err)
	}
	<-s.ended
	if err := p.mayUpgrade(); fault.CodeOf(err) != fault.UpgradeRefused {
		t.Errorf("and then: %v", err)
	}
}

// TestSignalsGoOn: what asked the node to stop while the place changed asks the process
// that has it now; a process that fails later ends the other, and one that ends well does
// not.
func TestSignalsGoOn(t *testing.T) {
	p, s := quietProcess(), cat(t)
	p.signals.stops <- os.Interrupt // a terminal signals both
	p.signals.stops <- syscall.SIGTERM
	p.passOn(s)
	<-s.ended
	if got := s.cmd.ProcessState.String(); !strings.Contains(got, "terminated") {
		t.Errorf("it ended by %s", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	p.untilAsked(ctx, s, cancel)
	if ctx.Err() == nil {
		t.Error("the failure of the other process ends nothing")
	}
}

// TestDrainAndUpgradeExclude: and a reload reports that no process takes it over any more.
func TestDrainAndUpgradeExclude(t *testing.T) {
	t.Parallel()
	p := quietProcess()
	p.drain.work = &fakeWork{}
	if err := p.drain.Begin(0, false); err != nil {
		t.Fatal(err)
	}
	if err := p.mayUpgrade(); fault.CodeOf(err) != fault.UpgradeRefused {
		t.Errorf("while draining: %v", err)
	}
	if err := p.drain.Cancel(); err != nil {
		t.Fatal(err)
	}
	if err := p.mayUpgrade(); err != nil {
		t.Fatal(err)
	}
	if err := p.mayUpgrade(); fault.CodeOf(err) != fault.UpgradeRefused {
		t.Errorf("a second one: %v", err)
	}
	if err := p.drain.Begin(0, false); err != nil {
		t.Fatal(err)
	}
	if p.changed() == "" {
		t.Error("a drain that began meanwhile is forgotten")
	}
	p.halting = true
	if out, err := p.Reload(t.Context(), false); fault.CodeOf(err) != fault.ReloadFailed || len(out.Changes) != 0 {
		t.Errorf("while stopping: %+v %v", out, err)
	}
}
