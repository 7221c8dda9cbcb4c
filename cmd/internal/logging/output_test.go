package logging

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core/health"
)

// disk is a place that has room for so many bytes more.
type disk struct {
	bytes.Buffer
	free int
}

func (d *disk) Write(p []byte) (int, error) {
	n, _ := d.Buffer.Write(p[:min(len(p), d.free)])
	if d.free -= n; n < len(p) {
		return n, &fs.PathError{Op: "write", Path: "/dev/stderr", Err: syscall.ENOSPC}
	}
	return n, nil
}

// plainSink is one of glog's form without a place to write to.
func plainSink() *Sink { return &Sink{form: textForm{}, now: time.Now, pid: 1} }

func TestLostLinesAreCountedAndTold(t *testing.T) {
	t.Parallel()
	d := &disk{free: 7}
	o := newOutput(d, plainSink().lostLine)
	for _, line := range []string{"whole\n", "torn\n", "gone\n"} {
		o.write(info, []byte(line))
	}
	if o.lost.Load() != 2 || o.probe() != "/dev/stderr: no space left on device" {
		t.Fatalf("lost %d, problem %q", o.lost.Load(), o.probe())
	}
	d.free = 1000
	o.write(info, []byte("again\n"))
	lines := strings.Split(strings.TrimSpace(d.String()), "\n")
	if len(lines) != 4 || lines[0] != "whole" || lines[1] != "t" ||
		!strings.HasSuffix(lines[2], "log lines were lost count=2") || lines[3] != "again" {
		t.Errorf("written: %q", lines)
	}
	if o.probe() != "" {
		t.Errorf("problem stays: %q", o.probe())
	}
}

func TestConditionWhileLinesAreLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &disk{}
		s := plainSink()
		s.out = newOutput(d, s.lostLine)
		s.log = slog.New(&handler{sink: s})
		board := health.New(s.log, time.Now, nil)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- s.Watch(board).Run(ctx, func() {}) }()
		s.log.Info("lost")
		synctest.Wait()
		if set := board.Visible(); len(set) != 1 || set[0].Detail != "/dev/stderr: no space left on device" {
			t.Errorf("conditions: %+v", set)
		}
		s.out.mu.Lock()
		d.free = 1000
		s.out.mu.Unlock()
		<-time.After(2 * probeEvery) // of the bubble's clock
		synctest.Wait()
		if !board.Healthy() || !strings.Contains(d.String(), "condition cleared code=LogLost") {
			t.Errorf("conditions: %+v, log:\n%s", board.Visible(), d)
		}
		if s.Lost() != 2 {
			t.Errorf("lost %d, want the line and the one about the condition", s.Lost())
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestFilesHoldWhatIsAsGrave(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var stderr bytes.Buffer
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	o := newOutput(&stderr, plainSink().lostLine)
	o.writeFiles(dir, false, func() time.Time { now = now.Add(time.Second); return now }, 7)
	for _, f := range o.files {
		f.size = 40
	}
	o.write(info, []byte("info\n"))
	o.write(warning, []byte("warning\n"))
	o.write(failure, []byte("error\n"))
	o.sync()
	for name, want := range map[string]string{"INFO": "info\nwarning\nerror\n", "WARNING": "warning\nerror\n",
		"ERROR": "error\n"} {
		got, err := os.ReadFile(filepath.Join(dir, program()+"."+name))
		if err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if stderr.String() != "error\n" {
		t.Errorf("standard error: %q", stderr.String())
	}
	o.write(info, []byte(strings.Repeat("x", 39)+"\n"))
	if all, err := filepath.Glob(filepath.Join(dir, "*.log.INFO.*.7")); err != nil || len(all) != 2 {
		t.Errorf("files after the first is full: %v, %v", all, err)
	}
}

func TestFileThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("this system has no full device")
	}
	if err != nil {
		t.Fatal(err)
	}
	o := newOutput(&bytes.Buffer{}, plainSink().lostLine)
	o.writeFiles(filepath.Join(t.TempDir(), "gone"), false, time.Now, 1)
	o.write(info, []byte("x\n"))
	if got := o.probe(); !strings.HasSuffix(got, "gone: no such file or directory") {
		t.Errorf("a directory that is gone: %q", got)
	}
	for _, f := range o.files {
		f.open, f.lineWriter = full, lineWriter{Writer: full}
	}
	o.write(failure, []byte("x\n"))
	if got := o.probe(); got != "/dev/full: no space left on device" || o.lost.Load() != 2 {
		t.Errorf("a full disk: %q, %d lost", got, o.lost.Load())
	}
}
