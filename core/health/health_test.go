package health_test

import (
	"errors"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

var (
	noGPU   = health.Key{Code: fault.NoDevices}
	worker0 = health.Key{Code: fault.WorkerQuarantined, About: "0"}
	worker1 = health.Key{Code: fault.WorkerQuarantined, About: "1"}
	port    = health.Key{Code: fault.PortClosed, About: "host:8935"}
	causes  = map[fault.Code][]fault.Code{
		fault.NoDevices:      {fault.WorkerQuarantined},
		fault.GPUUnavailable: {fault.WorkerQuarantined, fault.NoDevices},
	}
)

// bench is a board with a clock set by hand and its log as lines.
type bench struct {
	*health.Board
	clock time.Time
	log   strings.Builder
}

func newBench() *bench {
	b := &bench{clock: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	noTime := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == "remedy" {
			return slog.Attr{}
		}
		return a
	}
	log := slog.New(slog.NewTextHandler(&b.log, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: noTime}))
	b.Board = health.New(log, func() time.Time { return b.clock }, causes)
	return b
}

// lines returns what was logged since the last call.
func (b *bench) lines() []string {
	defer b.log.Reset()
	if b.log.Len() == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(b.log.String(), "\n"), "\n")
}

func (b *bench) expect(t *testing.T, want ...string) {
	t.Helper()
	if got := b.lines(); !slices.Equal(got, want) {
		t.Errorf("logged\n%q, want\n%q", got, want)
	}
}

func TestLoggedOnChangeOnly(t *testing.T) {
	t.Parallel()
	b := newBench()
	b.Set(port, "no answer")
	b.expect(t, `level=WARN msg="condition set" code=PortClosed about=host:8935 detail="no answer"`)
	b.clock = b.clock.Add(time.Minute)
	b.Set(port, "no answer")
	b.expect(t)
	b.Set(port, "refused")
	b.expect(t, `level=WARN msg="condition set" code=PortClosed about=host:8935 detail=refused`)
	b.clock = b.clock.Add(time.Minute)
	b.Clear(port)
	b.expect(t, `level=INFO msg="condition cleared" code=PortClosed about=host:8935 lasted=2m0s`)
	b.Clear(port)
	b.expect(t)
	if !b.Healthy() {
		t.Error("not healthy after everything was cleared")
	}
}

func TestReport(t *testing.T) {
	t.Parallel()
	b := newBench()
	b.Report(port, fault.Wrap(fault.PortClosed, "ping", errors.New("secret https://u:p@h")))
	got := b.Snapshot()
	if len(got) != 1 || strings.Contains(got[0].Detail, "secret") || got[0].Remedy() == "" {
		t.Errorf("got %+v", got)
	}
	b.Report(port, nil)
	if !b.Healthy() {
		t.Error("nil does not clear")
	}
}

// A defect of ours tells the operator what was attempted, the file and the disk's
// reason, and never what an endpoint said.
func TestReportTellsTheDisksReason(t *testing.T) {
	t.Parallel()
	b := newBench()
	for _, tt := range []struct {
		err  error
		want string
	}{
		{fault.Wrap(fault.LedgerFull, "write /data/tutti.db", errors.New("commit: database or disk is full")),
			"write /data/tutti.db: database or disk is full"},
		{fault.Wrap(fault.LedgerFailed, "open", &fs.PathError{Op: "open", Path: "/data/tutti.db",
			Err: syscall.EROFS}), "open: /data/tutti.db: read-only file system"},
		{fault.Wrap(fault.LedgerFull, "save", errors.New("Get https://u:p@h: refused")), "save"},
		{errors.New("https://u:p@h"), "Internal Server Error"},
	} {
		b.Report(port, tt.err)
		if got := b.Snapshot()[0].Detail; got != tt.want {
			t.Errorf("%v: %q, want %q", tt.err, got, tt.want)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	b := health.New(slog.New(slog.DiscardHandler), time.Now, causes)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				b.Set(worker0, "x")
				b.Set(noGPU, "y")
				b.Snapshot()
				b.Clear(noGPU)
				b.Clear(worker0)
			}
		})
	}
	wg.Wait()
	if !b.Healthy() {
		t.Errorf("left: %+v", b.Snapshot())
	}
}
