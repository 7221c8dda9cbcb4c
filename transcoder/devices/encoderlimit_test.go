package devices_test

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
)

// offered are the encoders that the GPUs are offered with.
func (r *rig) offered(t *testing.T, names ...string) (out []int) {
	t.Helper()
	for _, name := range names {
		n := -1 // not offered
		r.set(func() {
			if p := r.places[name]; p != nil && !p.detached {
				n = p.offer.EncoderSessions
			}
		})
		out = append(out, n)
	}
	return out
}

// The driver's limit is of the machine: the GPUs share it, and it is counted before
// any of them has streams that would be missing from the count.
func TestCardsShareTheEncodersOfAMachine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rig{most: 13, counting: time.Second}
		other, same := gpuDevice(1, "GPU-2"), gpuDevice(2, "GPU-3")
		other.Name = "NVIDIA GeForce RTX 3060"
		r.here = []device.GPU{gpuDevice(0, first), other, same}
		keep(t, r, true)
		after(10 * time.Second)
		// Models are counted, not GPUs: two of the same have the same driver.
		if got := r.offered(t, "0", "1", "2"); !slices.Equal(got, []int{5, 4, 4}) || r.late != 0 || len(r.counts) != 2 {
			t.Errorf("offered %v; counted %v, %d times too late", got, r.counts, r.late)
		}
		r.set(func() { r.here = r.here[1:2] })
		after(3 * time.Second)
		if got := r.offered(t, "1"); got[0] != 13 {
			t.Errorf("alone the GPU is offered with %v", got)
		}
	})
}

// A GPU that is tested again while others have streams takes no encoders from them.
func TestNoEncodersAreTakenFromStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rig{most: 8, uses: map[string]device.Bytes{}}
		r.here = []device.GPU{gpuDevice(0, first), gpuDevice(1, "GPU-2")}
		keep(t, r, true)
		after(10 * time.Second)
		r.set(func() {
			r.uses["0"], r.counts = 1<<30, nil
			r.broken = fault.New(fault.UnrecoverableState, "transcode", "")
			r.samples["GPU-2"] = device.Sample{XID: 79, XIDAt: time.Now()}
		})
		after(2 * time.Second)
		r.set(func() { r.broken = nil })
		if got := r.offered(t, "0"); got[0] != 8 {
			t.Errorf("the other's part is not used meanwhile: %v", got)
		}
		other := gpuDevice(2, "GPU-3")
		other.Name = "NVIDIA GeForce RTX 3060"
		r.set(func() { r.here = append(r.here, other) })
		after(30 * time.Second)
		if got := r.offered(t, "0", "1", "2"); !slices.Equal(got, []int{4, 4, 1}) || len(r.counts) != 0 {
			t.Errorf("offered %v, counted by %v", got, r.counts)
		}
	})
}

// A GPU whose worker does not start keeps the others waiting for a while only.
func TestACardThatIsNotCountedKeepsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rig{most: 8, hangs: "GPU-2"}
		r.here = []device.GPU{gpuDevice(0, first), gpuDevice(1, "GPU-2")}
		keep(t, r, true)
		after(25 * time.Second)
		if got := r.offered(t, "0"); got[0] != -1 {
			t.Error("the first GPU did not wait")
		}
		after(10 * time.Second)
		if got := r.offered(t, "0"); got[0] != 8 {
			t.Errorf("offered %v", got)
		}
	})
}

// An encoder that is there and out of reach is reported until it is used.
func TestAnEncoderThatIsOutOfReach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rig{none: true}
		d := gpuDevice(0, first)
		d.Encodes = true
		r.here = []device.GPU{d, gpuDevice(1, "GPU-2")}
		keep(t, r, true)
		after(10 * time.Second)
		said := r.board.Snapshot()
		if len(said) != 1 || said[0].Code != fault.GPUEncoderMissing || said[0].About != "gpu 0" {
			t.Fatalf("%+v", said)
		}
		if got := r.offered(t, "0", "1"); !slices.Equal(got, []int{0, 0}) {
			t.Errorf("offered %v", got)
		}
		r.set(func() {
			r.none = false
			r.broken = errors.New("for a moment")
			r.samples[first] = device.Sample{XID: 79, XIDAt: time.Now()}
		})
		after(2 * time.Second)
		r.set(func() { r.broken = nil })
		after(20 * time.Second)
		if said := r.board.Snapshot(); len(said) != 0 {
			t.Errorf("%+v", said)
		}
	})
}

// GPUs for which the CPU encodes share it.
func TestCardsShareTheProcessor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rig{none: true, latency: 100 * time.Millisecond}
		r.here = []device.GPU{gpuDevice(0, first)}
		keep(t, r, true)
		after(20 * time.Second)
		var alone float64
		r.set(func() { alone = r.places["0"].offer.Cost })
		r.set(func() { r.here = append(r.here, gpuDevice(1, "GPU-2"), gpuDevice(2, "GPU-3")) })
		after(30 * time.Second)
		for _, name := range []string{"0", "1", "2"} {
			var got float64
			r.set(func() { got = r.places[name].offer.Cost })
			if alone <= 0 || got != 3*alone {
				t.Errorf("GPU %s: %g, alone %g", name, got, alone)
			}
		}
		r.set(func() { r.here = r.here[:1] })
		after(3 * time.Second)
		r.set(func() {
			if got := r.places["0"].offer.Cost; got != alone {
				t.Errorf("alone again: %g, want %g", got, alone)
			}
		})
	})
}

// A driver without its module for memory is reported under the code that says what to
// do, until the GPU works.
func TestADriverThatIsNotLoaded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rig{refuse: fault.New(fault.GPUDriverNotLoaded, "load nvidia-uvm", "missing")}
		r.here = []device.GPU{gpuDevice(0, first)}
		keep(t, r, true)
		after(time.Second)
		if said := r.board.Snapshot(); len(said) != 1 || said[0].Code != fault.GPUDriverNotLoaded ||
			said[0].About != "gpu 0" {
			t.Fatalf("%+v", said)
		}
		r.set(func() { r.refuse = errors.New("something else") })
		after(20 * time.Second)
		if said := r.board.Snapshot(); len(said) != 1 || said[0].Code != fault.DeviceTestFailed {
			t.Fatalf("%+v", said)
		}
		r.set(func() { r.refuse = nil })
		after(time.Minute)
		if said := r.board.Snapshot(); len(said) != 0 || r.places["0"] == nil {
			t.Errorf("%+v", said)
		}
	})
}

// A GPU that was tested while the streams of others had all encoders does not wait
// as long as one that is broken.
func TestACardTestedBesideStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rig{most: 8, broken: fault.New(fault.EncoderSessionsExhausted, "open encoder", "")}
		r.here = []device.GPU{gpuDevice(0, first)}
		keep(t, r, true)
		after(11 * time.Minute)
		r.set(func() { r.broken = nil })
		after(21 * time.Second)
		if got := r.offered(t, "0"); got[0] != 8 {
			t.Errorf("offered %v", got)
		}
	})
}
