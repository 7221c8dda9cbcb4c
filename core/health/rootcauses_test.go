package health_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

func TestRootCauseHidesConsequences(t *testing.T) {
	t.Parallel()
	b := newBench()
	b.Set(worker0, "crashed")
	b.clock = b.clock.Add(time.Second)
	b.Set(noGPU, "driver gone")
	b.lines()
	b.Set(worker1, "crashed")
	b.expect(t, `level=DEBUG msg="condition set" code=WorkerQuarantined about=1 detail=crashed because=NoDevices`)
	visible := b.Visible()
	if len(visible) != 1 || visible[0].Code != fault.NoDevices {
		t.Errorf("visible: %+v", visible)
	}
	all := b.Snapshot()
	if len(all) != 3 || all[0].Code != fault.NoDevices || all[1].About != "0" || all[2].HiddenBy != fault.NoDevices {
		t.Errorf("snapshot: %+v", all)
	}
	b.Clear(worker0)
	b.lines()
	b.Clear(noGPU)
	b.expect(t, `level=INFO msg="condition cleared" code=NoDevices lasted=0s`,
		`level=WARN msg="condition set" code=WorkerQuarantined about=1 detail=crashed`)
}

func TestChainOfCauses(t *testing.T) {
	t.Parallel()
	b := newBench()
	b.Set(health.Key{Code: fault.GPUUnavailable}, "libcuda.so.1")
	b.Set(noGPU, "none")
	b.Set(worker0, "crashed")
	if v := b.Visible(); len(v) != 1 || v[0].Code != fault.GPUUnavailable {
		t.Errorf("visible: %+v", v)
	}
	b.lines()
	// The worker stays hidden behind the other cause.
	b.Clear(noGPU)
	b.expect(t, `level=INFO msg="condition cleared" code=NoDevices lasted=0s`)
}

// A condition more severe than its cause is shown in addition: an operator who is alerted
// of critical conditions only must learn that the node takes no work.
func TestMilderCauseHidesNoMoreSevereCondition(t *testing.T) {
	t.Parallel()
	b := health.New(slog.New(slog.DiscardHandler), time.Now,
		map[fault.Code][]fault.Code{fault.DeviceTestFailed: {fault.NoTranscoders}})
	b.Set(health.Key{Code: fault.DeviceTestFailed, About: "gpu 0"}, "its encoder fails")
	b.Set(health.Key{Code: fault.NoTranscoders}, "no device is ready")
	if visible := b.Visible(); len(visible) != 2 {
		t.Errorf("visible: %+v", visible)
	}
}
