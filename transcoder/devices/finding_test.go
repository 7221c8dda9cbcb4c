package devices_test

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/transcoder/devices"
)

// offeredBy runs a keeper over the GPUs, and returns its findings with what it offers.
func offeredBy(t *testing.T, r *rig) (map[device.UUID]devices.Finding, map[string]*attachment) {
	t.Helper()
	r.most, r.latency, r.driver = 13, 100*time.Millisecond, "550.54.15"
	r.here = []device.GPU{gpuDevice(0, first), gpuDevice(1, "GPU-2")}
	keep(t, r, true)
	after(time.Minute)
	return r.keeper.Findings(), r.places
}

func (r *rig) isReady() (is bool) {
	r.set(func() { is = r.ready })
	return is
}

// A process that takes over from another offers its GPUs at once as that one did, and is
// ready when it does.
func TestCardsGoOnAsTheProcessBeforeTestedThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left, before := offeredBy(t, &rig{})
		for range 2 { // what was inherited is handed on
			r := &rig{left: left, latency: 100 * time.Millisecond}
			r.here, r.driver = []device.GPU{gpuDevice(0, first), gpuDevice(1, "GPU-2")}, "550.54.15"
			keep(t, r, true)
			synctest.Wait()
			if !r.isReady() || len(r.counts) > 0 {
				t.Fatalf("ready %v, counted %v", r.isReady(), r.counts)
			}
			for name, want := range before {
				got := r.places[name]
				if got == nil || got.offer.Cost != want.offer.Cost ||
					got.offer.EncoderSessions != want.offer.EncoderSessions ||
					got.offer.SessionMemory != want.offer.SessionMemory ||
					!slices.Equal(got.offer.Capabilities.Bits, want.offer.Capabilities.Bits) {
					t.Errorf("GPU %s: %+v, before %+v", name, got, want.offer)
				}
			}
			left = r.keeper.Findings()
		}
	})
}

// What was found with another driver does not hold, nor what was found of a GPU that
// has failed since.
func TestCardsAreTestedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left, _ := offeredBy(t, &rig{})
		r := &rig{cards: cards{here: []device.GPU{gpuDevice(0, first)}, driver: "560.1"}, left: left}
		keep(t, r, true)
		after(time.Second)
		if !r.isReady() || len(r.counts) != 1 {
			t.Errorf("with another driver: ready %v, counted %v", r.isReady(), r.counts)
		}
		r = &rig{cards: cards{here: []device.GPU{gpuDevice(0, first)}, driver: "550.54.15"}, left: left}
		keep(t, r, true)
		synctest.Wait()
		r.set(func() {
			r.broken = errors.New("for a moment")
			r.samples[first] = device.Sample{XID: 79, XIDAt: time.Now()}
		})
		after(2 * time.Second)
		if len(r.keeper.Findings()) > 0 {
			t.Error("a GPU that failed is handed on")
		}
		r.set(func() { r.broken = nil })
		after(20 * time.Second)
		if len(r.counts) != 1 || len(r.keeper.Findings()) != 1 {
			t.Errorf("after a failure: counted %v, found %+v", r.counts, r.keeper.Findings())
		}
	})
}

// A GPU that does not come up does not hold up the start forever.
func TestACardThatDoesNotComeUpAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left, _ := offeredBy(t, &rig{})
		r := &rig{cards: cards{here: []device.GPU{gpuDevice(0, first), gpuDevice(1, "GPU-2")}, driver: "550.54.15"},
			left: left, hangs: "GPU-2"}
		keep(t, r, true)
		after(4 * time.Second)
		if r.isReady() || r.places["0"] == nil {
			t.Errorf("ready %v, offered %+v", r.isReady(), r.places)
		}
		after(2 * time.Second)
		if !r.isReady() {
			t.Error("a GPU that hangs keeps the node from starting")
		}
	})
}

// GPUs that are not tested go on at once, too.
func TestUntestedCardsGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rig{cards: cards{here: []device.GPU{gpuDevice(0, first)}}, left: map[device.UUID]devices.Finding{first: {}}}
		keep(t, r, false)
		synctest.Wait()
		if !r.isReady() || r.places["0"] == nil || r.places["0"].offer.Cost != 7 {
			t.Errorf("ready %v, offered %+v", r.isReady(), r.places)
		}
		if left := r.keeper.Findings(); len(left) != 1 || left[first].Tested {
			t.Errorf("%+v", left)
		}
	})
}
