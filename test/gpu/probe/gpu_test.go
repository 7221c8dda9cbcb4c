package probe_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/fakegpu"
	"github.com/tuttinode/tutti/transcoder/devices"
	"github.com/tuttinode/tutti/transcoder/worker"
)

// card starts the worker of a GPU, named by its UUID where there is one.
func card(t *testing.T, d *fakegpu.Driver, index, uuid string) *worker.Client {
	t.Helper()
	c, err := worker.Start(t.Context(),
		worker.Options{Device: index, GPU: true, UUID: uuid, Args: []string{childArg}, Env: d.Env()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// held is the memory of a GPU that its user's processes hold, and records what it said.
func held(d *fakegpu.Driver, device int, said *[]int64) func(context.Context) (int64, bool) {
	return func(context.Context) (int64, bool) {
		used := d.Counts(device).Held.Memory
		*said = append(*said, used)
		return used, true
	}
}

func TestAnOrdinaryCard(t *testing.T) {
	d := fakegpu.Build(t)
	d.Script("devices=2", "device0.uuid=GPU-00000000-0000-0000-0000-00000000000a",
		"device1.uuid=GPU-00000000-0000-0000-0000-00000000000b")
	c := card(t, d, "1", "GPU-00000000-0000-0000-0000-00000000000b")
	if err := c.Degraded(); err != nil {
		t.Log(err)
	}
	var said []int64
	device := devices.NewDevice(c, devices.ProbeOptions{Streams: 2, Memory: held(d, 1, &said)})
	r := device.Test(t.Context())
	t.Logf("%+v", r)
	if r.Fault != nil || r.Device != "1" {
		t.Fatalf("got %v", r.Fault)
	}
	for _, id := range []capability.ID{capability.H264, capability.HEVCDecode, capability.VP8Decode, capability.VP9Decode,
		capability.H264DecodeYUV420Bit10} {
		if !r.Capabilities.Has(id) {
			t.Errorf("lacks %s", id)
		}
	}
	if r.EncoderSessions != 0 || r.SessionMemory <= 0 || r.RenditionMemory <= 0 || r.SessionMemory > 1<<30 ||
		r.RenditionMemory > r.SessionMemory || r.Cost <= 0 {
		t.Errorf("measured %+v", r)
	}
	if len(said) != 3 || said[1]-said[0] < 1<<20 || said[2]-said[1] <= said[1]-said[0] {
		t.Errorf("in use without, with a small and with a large session alongside it: %v", said)
	}
	counts := d.Counts(1)
	if counts.EncodersOpened < devices.DefaultProbeEncoders || counts.PicturesDecoded == 0 {
		t.Errorf("on the GPU: %+v", counts)
	}
	if other := d.Counts(0); other.ContextsCreated != 0 {
		t.Errorf("the other GPU was used: %+v", other)
	}
	if err := device.Reprobe(t.Context()); err != nil {
		t.Error(err)
	}
}

// A driver's cap is a number in the offer, not a reason to refuse the GPU.
func TestACardWithACap(t *testing.T) {
	for _, cap := range []string{"2", "3", "8"} {
		t.Run(cap, func(t *testing.T) {
			d := fakegpu.Build(t)
			d.Script("encoder.cap=" + cap)
			r := devices.Probe(t.Context(), card(t, d, "0", ""), devices.ProbeOptions{Streams: 4})
			if r.Fault != nil || string(rune('0'+r.EncoderSessions)) != cap || !r.Capabilities.Has(capability.H264) ||
				r.Cost <= 0 {
				t.Errorf("got %+v", r)
			}
		})
	}
}

// A GPU without encoders is a GPU that decodes: the CPU encodes H.264, and
// HEVC no device does.
func TestACardWithoutEncoders(t *testing.T) {
	d := fakegpu.Build(t)
	d.Script("device.encodes=0")
	r := devices.Probe(t.Context(), card(t, d, "0", ""), devices.ProbeOptions{})
	if r.Fault != nil || r.EncoderSessions != 0 || r.Capabilities.Has(capability.HEVCEncode) ||
		!r.Capabilities.Has(capability.VP9Decode) {
		t.Errorf("got %+v", r)
	}
	if c := d.Counts(0); c.PicturesDecoded == 0 || c.EncodersOpened != 0 {
		t.Errorf("on the GPU: %+v", c)
	}
}

// Whatever is wrong with a GPU, the test ends in its time and says so, and a GPU
// that is well again is taken again.
func TestCardsInTrouble(t *testing.T) {
	for name, setting := range map[string]string{
		"hangs": "device0.hang=decode", "crashes": "device0.crash=decode", "fails": "device0.fail=719",
	} {
		t.Run(name, func(t *testing.T) {
			d := fakegpu.Build(t)
			device := devices.NewDevice(card(t, d, "0", ""),
				devices.ProbeOptions{First: 2 * time.Second, Clip: 2 * time.Second, All: 20 * time.Second})
			key, value, _ := strings.Cut(setting, "=")
			d.Set(key, value)
			r := device.Test(t.Context())
			if r.Fault == nil || !errors.Is(r.Fault, fault.DeviceTestFailed) || r.Took > 25*time.Second ||
				r.Capabilities.Len() != 0 {
				t.Errorf("got %+v, %v", r, r.Fault)
			}
			t.Logf("after %v: %v", r.Took, r.Fault)
			if err := device.Reprobe(t.Context()); !errors.Is(err, fault.DeviceTestFailed) {
				t.Errorf("tried again: %v", err)
			}
			d.Unset(key)
			mends(t, device)
		})
	}
}

// mends waits until a device passes. Children that did not even start come again
// with pauses between them.
func mends(t *testing.T, device *devices.Device) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		err := device.Reprobe(ctx)
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("does not get well again: %v", err)
		case <-ticker.C:
		}
	}
}
