package gpus

import (
	"log/slog"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// story is a watcher that is told reports at times of its own.
type story struct {
	*Watcher
	now time.Time
}

func tell(t *testing.T, files map[string]string) *story {
	t.Helper()
	s := &story{now: time.Unix(1e9, 0)}
	board := health.New(slog.New(slog.DiscardHandler), func() time.Time { return s.now }, nil)
	s.Watcher = New(Options{Selection: device.Selection{All: true}, Root: machine(t, nil, files).root, Board: board,
		Now: func() time.Time { return s.now }})
	return s
}

// after lets time pass and hears of a GPU with the sample; it returns the
// conditions.
func (s *story) after(d time.Duration, sample device.Sample) string {
	s.now = s.now.Add(d)
	s.takeReport(ReportLine{V: 1, Devices: []ReportEntry{{Device: device.GPU{UUID: "GPU-a", Name: "NVIDIA L4",
		Memory: 24 << 30}, Sample: sample}}})
	var codes []string
	for _, c := range s.o.Board.Snapshot() {
		codes = append(codes, string(c.Code)+": "+c.Detail)
	}
	return strings.Join(codes, " | ")
}

// TestThrottlingSettles: seconds of it are nothing, and a moment without is no end.
func TestThrottlingSettles(t *testing.T) {
	t.Parallel()
	s := tell(t, nil)
	hot, cool := device.Sample{Throttled: device.ByTemperature, SlowdownAt: 96}, device.Sample{Throttled: device.ByPower,
		SlowdownAt: 96}
	const want = "GPUThrottled: NVIDIA L4 runs slower than it could; it is made to from 96 °C on"
	for i, step := range []struct {
		after  time.Duration
		sample device.Sample
		want   string
	}{
		{0, hot, ""}, {9 * time.Second, hot, ""}, {time.Second, cool, ""}, {time.Second, hot, ""}, {10 * time.Second, hot,
			want},
		{time.Second, cool, want}, {20 * time.Second, cool, want}, {time.Second, hot, want}, {time.Second, cool,
			want}, {29 * time.Second, cool, want},
		{time.Second, cool, ""}, {time.Minute, cool, ""}, {time.Second, hot, ""},
	} {
		if got := s.after(step.after, step.sample); got != step.want {
			t.Errorf("step %d: %q, want %q", i, got, step.want)
		}
	}
}

// TestACriticalErrorIsForgotten after a day.
func TestACriticalErrorIsForgotten(t *testing.T) {
	t.Parallel()
	s := tell(t, nil)
	if got := s.after(0, device.Sample{XID: 79, XIDAt: s.now}); got != "GPUFault: XID 79: the GPU fell off the bus" {
		t.Error(got)
	}
	if got := s.after(23*time.Hour, device.Sample{}); got == "" {
		t.Error("it was forgotten early")
	}
	if got := s.after(time.Hour, device.Sample{}); got != "" {
		t.Error(got)
	}
	if got := s.after(0,
		device.Sample{XID: 12345, XIDAt: s.now}); got != "GPUFault: XID 12345: see NVIDIA's list of XID errors" {
		t.Error(got)
	}
}

// TestMemoryOfStrangers tells the node's own processes from others.
func TestMemoryOfStrangers(t *testing.T) {
	t.Parallel()
	me := strconv.Itoa(os.Getpid())
	kin := map[string]string{"proc/" + me + "/stat": me + " (t) S 1", "proc/500000/stat": "500000 (w) S " + me,
		"proc/600000/stat": "600000 (x) S 1"}
	mine, other := device.Process{PID: 500000, Used: 20 << 30}, device.Process{PID: 600000, Name: "python3", Used: 3 << 30}
	s := tell(t, kin)
	s.after(0, device.Sample{Processes: []device.Process{mine, other}})
	if got := s.after(time.Minute, device.Sample{Processes: []device.Process{mine,
		other}}); got != "GPUMemoryTaken: by python3, process 600000, before others" {
		t.Error(got)
	}
	if sample, ok := s.Sample("GPU-a"); !ok || sample.Foreign != 3<<30 ||
		!reflect.DeepEqual(sample.Processes, []device.Process{other}) {
		t.Errorf("%+v", sample)
	}
	// It stays as it is while it may come back, so that the log tells of it once.
	const want = "GPUMemoryTaken: by python3, process 600000, before others"
	for _, step := range []struct {
		after time.Duration
		want  string
	}{{time.Second, want}, {29 * time.Second, want}, {time.Second, ""}} {
		if got := s.after(step.after, device.Sample{Processes: []device.Process{mine}}); got != step.want {
			t.Errorf("%q, want %q", got, step.want)
		}
	}
	// What models may have is nobody's loss.
	s.o.Allowed = func(device.UUID) device.Bytes { return 2 << 30 }
	s.after(0, device.Sample{Processes: []device.Process{mine, other}})
	if got := s.after(time.Minute, device.Sample{Processes: []device.Process{mine, other}}); got != "" {
		t.Error(got)
	}
	// In a container the numbers are not those of its own processes.
	kin[".dockerenv"] = ""
	s = tell(t, kin)
	s.after(0, device.Sample{Processes: []device.Process{other}})
	if got := s.after(time.Minute, device.Sample{Processes: []device.Process{other}}); got != "" {
		t.Error(got)
	}
}

// TestEveryOwnCodeIsClearedAgain: no condition outlives what it is about.
func TestEveryOwnCodeIsClearedAgain(t *testing.T) {
	t.Parallel()
	s := tell(t, nil)
	s.takeReport(ReportLine{V: 1, Problem: &Problem{Kind: Mismatch}})
	if !strings.Contains(s.after(0, device.Sample{Uncorrected: 1}), string(fault.GPUMemoryErrors)) {
		t.Error("no condition")
	}
	s.takeReport(ReportLine{V: 1})
	if got := s.o.Board.Snapshot(); len(got) != 1 || got[0].Code != fault.NoDevices {
		t.Error(got)
	}
	if got := s.after(0, device.Sample{}); got != "" {
		t.Error(got)
	}
}
