package gpus_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/transcoder/gpus"
)

// rig is a watcher of a scripted process.
type rig struct {
	*gpus.Watcher
	board *health.Board
}

// options are those of a scripted process on an empty machine, in a hurry.
func options(t *testing.T, script string) gpus.Options {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return gpus.Options{
		Selection: device.Selection{All: true}, Path: self, Args: []string{childArg, script}, Root: t.TempDir(),
		Env:   []string{"ADDED=yes"},
		First: 20 * time.Second, Silence: 20 * time.Second, Retry: 20 * time.Millisecond, Ready: 20 * time.Second,
	}
}

// start runs a watcher until the test ends, and waits until it is ready.
func start(t *testing.T, o gpus.Options) *rig {
	t.Helper()
	r := &rig{board: health.New(slog.New(slog.DiscardHandler), time.Now, nil)}
	o.Board = r.board
	r.Watcher = gpus.New(o)
	ctx, cancel := context.WithCancel(context.Background())
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- r.Run(ctx, func() { close(ready) }) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	select {
	case <-ready:
	case <-time.After(time.Minute):
		t.Fatal("not ready")
	}
	return r
}

// until waits for a condition.
func until(t *testing.T, what string, cond func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(time.Minute); !cond(); <-tick.C {
		if time.Now().After(end) {
			t.Fatal("never: " + what)
		}
	}
}

// shows is the detail of a condition, "" when it is not set.
func (r *rig) shows(code fault.Code, about string) string {
	for _, c := range r.board.Snapshot() {
		if c.Code == code && c.About == about {
			return c.Detail + "."
		}
	}
	return ""
}

func TestItWatches(t *testing.T) {
	t.Setenv("SECRET_OF_THE_NODE", "x")
	t.Setenv("NVIDIA_SHOWN", "x")
	r := start(t, options(t, "env line:2 stay"))
	until(t, "two GPUs", func() bool { return len(r.Devices()) == 2 })
	if d := r.Driver(); d.Version != "550.54.15" || r.Err() != nil || r.Blind() || !r.board.Healthy() ||
		len(r.Present()) != 2 || r.Faults() != nil {
		t.Errorf("%+v, %v", d, r.Err())
	}
	if s, ok := r.Sample("GPU-0000000a"); !ok || s.Temperature != 50 || time.Since(s.At) > time.Minute {
		t.Errorf("%+v, %v", s, ok)
	}
	if _, ok := r.Sample("GPU-none"); ok {
		t.Error("a sample of nothing")
	}
}

// TestTroubleWithTheProcess: whatever becomes of it, the next one serves.
func TestTroubleWithTheProcess(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ script, says string }{
		"hangs before it speaks": {"stay", "does not answer"},
		"hangs later":            {"line:1 stay", "does not answer"},
		"panics":                 {"line:1 panic", "exit status 42): panic: as asked"},
		"ends":                   {"line:1", "ended ("},
		"ends at once":           {"", "ended ("},
		"talks nonsense":         {"line:1 garbage stay", "sent an invalid report"},
		"talks forever":          {"huge stay", "a line of more than"},
		"closes its mouth":       {"close stay", "ended (signal: killed)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := options(t, "once:"+filepath.Join(t.TempDir(), "was")+" "+row.script)
			if strings.HasSuffix(row.says, "answer") {
				o.First, o.Silence = 2*time.Second, 500*time.Millisecond
			}
			// The next one begins only when somebody has seen what became of the first.
			o.Retry = 3 * time.Second
			r := start(t, o)
			until(t, "the condition", func() bool { return strings.Contains(r.shows(fault.GPUWatchFailed, ""), row.says) })
			if len(r.Devices()) == 0 && !errors.Is(r.Err(), fault.GPUWatchFailed) {
				t.Errorf("%v", r.Err())
			}
			until(t, "two GPUs", func() bool { return len(r.Devices()) == 2 })
			if r.shows(fault.GPUWatchFailed, "") != "" || r.Err() != nil {
				t.Errorf("%v, %v", r.board.Snapshot(), r.Err())
			}
		})
	}
}

func TestAProgramThatIsNotThere(t *testing.T) {
	t.Parallel()
	o := options(t, "")
	o.Path = filepath.Join(t.TempDir(), "nothing")
	r := start(t, o)
	if err := r.Err(); !errors.Is(err, fault.GPUWatchFailed) || len(r.Faults()) != 1 {
		t.Error(err)
	}
}

// TestAnOldReading: a sample is given as long as it is of now.
func TestAnOldReading(t *testing.T) {
	t.Parallel()
	clock := time.Now()
	o := options(t, "line:1 stay")
	o.Now = func() time.Time { return clock }
	w := gpus.Find(t.Context(), o, time.Minute)
	if _, ok := w.Sample("GPU-0000000a"); !ok {
		t.Error("no sample")
	}
	clock = clock.Add(time.Hour)
	if _, ok := w.Sample("GPU-0000000a"); ok {
		t.Error("a sample of an hour ago")
	}
}

// TestNotReadyInTime: a driver that hangs does not keep the node from starting.
func TestNotReadyInTime(t *testing.T) {
	t.Parallel()
	o := options(t, "stay")
	o.Ready = 50 * time.Millisecond
	r := start(t, o)
	if r.Err() != nil || len(r.Devices()) != 0 {
		t.Error(r.Err())
	}
}

// TestNoneAskedFor starts nothing.
func TestNoneAskedFor(t *testing.T) {
	t.Parallel()
	o := options(t, "panic")
	o.Selection = device.Selection{}
	r := start(t, o)
	w := gpus.Find(t.Context(), o, time.Minute)
	if r.Err() != nil || r.Faults() != nil || w.Err() != nil || w.Devices() != nil {
		t.Error(r.Err(), w.Err())
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	o := options(t, "line:1 stay")
	o.Selection = device.Selection{IDs: []int{0, 4}}
	w := gpus.Find(t.Context(), o, time.Minute)
	if len(w.Devices()) != 1 || !errors.Is(w.Err(), fault.GPUIndexUnknown) {
		t.Error(w.Devices(), w.Err())
	}
	if w := gpus.Find(t.Context(), options(t, "trouble:no_library"), time.Minute); !errors.Is(w.Err(),
		fault.NoDevices) || !w.Blind() {
		t.Error(w.Err())
	}
	w = gpus.Find(t.Context(), options(t, "stay"), 50*time.Millisecond)
	if _, text := fault.Public(w.Err()); !strings.Contains(text, "no answer within 50ms") {
		t.Error(w.Err())
	}
}

// TestADriverComesLate: it is looked for again and again.
func TestADriverComesLate(t *testing.T) {
	t.Parallel()
	r := start(t, options(t, "once:"+filepath.Join(t.TempDir(), "was")+" trouble:no_driver"))
	until(t, "two GPUs", func() bool {
		return len(r.Devices()) == 2 && r.shows(fault.GPUDriverNotLoaded, "") == "" && r.board.Healthy()
	})
}

// TestACardComesLate: the process that did not see it is replaced.
func TestACardComesLate(t *testing.T) {
	t.Parallel()
	o := options(t, "")
	path := filepath.Join(t.TempDir(), "report")
	written(t, path, devices(1))
	o.Args[1] = "follow:" + path
	o.Selection = device.Selection{IDs: []int{0, 1}}
	r := start(t, o)
	until(t, "the condition", func() bool {
		return strings.HasPrefix(r.shows(fault.GPUIndexUnknown, ""), "there is no GPU 1; the machine has 0")
	})
	changed := r.Changed()
	written(t, path, devices(2))
	until(t, "two GPUs", func() bool { return len(r.Devices()) == 2 })
	<-changed
	until(t, "all well", r.board.Healthy)
}

// TestConditions come and go with what the GPUs tell.
func TestConditions(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "report")
	bad := devices(2)
	bad.Devices[1].Device.MIG = true
	s := &bad.Devices[0].Sample
	s.XID, s.XIDAt, s.Uncorrected = 48, time.Now(), 3
	written(t, path, bad)
	r := start(t, options(t, "follow:"+path))
	until(t, "conditions", func() bool {
		return r.shows(fault.GPUFault, "0") == "XID 48: a memory error that could not be corrected." &&
			r.shows(fault.GPUMemoryErrors, "0") == "3 errors were not corrected." &&
			strings.Contains(r.shows(fault.GPUIsMIG, "1"), "GPU 1") && len(r.board.Snapshot()) == 3
	})
	if len(r.Devices()) != 1 || len(r.Present()) != 2 || !errors.Is(r.Err(), fault.GPUIsMIG) {
		t.Error(r.Devices(), r.Err())
	}
	written(t, path, devices(2))
	// What a new process does not know of an error, the node does.
	until(t, "only the critical error", func() bool {
		return len(r.board.Snapshot()) == 1 &&
			r.shows(fault.GPUFault, "0") != ""
	})
	if s, ok := r.Sample("GPU-0000000a"); !ok || s.XID != 48 {
		t.Errorf("%+v", s)
	}
}

func TestTheReportOfTheDriverIsWhole(t *testing.T) {
	t.Parallel()
	for _, kind := range []gpus.ReportKind{gpus.NoLibrary, gpus.NoDriver, gpus.Mismatch, gpus.NoPermission,
		gpus.OldLibrary, gpus.Failed} {
		w := gpus.Find(t.Context(), options(t, "trouble:"+strings.ReplaceAll(string(kind), " ", "_")), time.Minute)
		if w.Err() == nil || errors.Is(w.Err(), fault.GPUWatchFailed) {
			t.Errorf("%s: %v", kind, w.Err())
		}
	}
}
