package fakegpu

import (
	"context"
	"testing"
	"time"
)

// Counts is what happened on a device since the driver was built, in all processes,
// and what is held there now by those that live.
type Counts struct {
	DecodersCreated, DecodersDestroyed, DecodersRefused, PicturesDecoded                   int64
	EncodersOpened, EncodersClosed, EncodersRefused, EncodersReconfigured, PicturesEncoded int64
	ContextsCreated, ContextsDestroyed, Kernels, UploadedBytes, DownloadedBytes            int64
	AllocationsRefused, PicturesMadeUp, Hangs, PicturesRefused, Modules                    int64
	Held                                                                                   Held
}

// Held is what live processes have open. Memory is in bytes and counts what they
// took, not what the script says others use.
type Held struct{ Memory, Encoders, Decoders, Contexts int64 }

// Counts reads a device's counters. The device is the script's.
func (d *Driver) Counts(device int) Counts {
	var c Counts
	into := []*int64{&c.DecodersCreated, &c.DecodersDestroyed, &c.DecodersRefused, &c.PicturesDecoded,
		&c.EncodersOpened, &c.EncodersClosed, &c.EncodersRefused, &c.EncodersReconfigured, &c.PicturesEncoded,
		&c.ContextsCreated, &c.ContextsDestroyed, &c.Kernels, &c.UploadedBytes, &c.DownloadedBytes,
		&c.AllocationsRefused, &c.PicturesMadeUp, &c.Hangs, &c.PicturesRefused, &c.Modules}
	for i, field := range into {
		*field = int64(d.state.word(countersAt + device*counterSize + 8*i).Load())
	}
	held := []*int64{&c.Held.Memory, &c.Held.Encoders, &c.Held.Decoders, &c.Held.Contexts}
	for slot := range maxProcesses {
		at := processesAt + slot*processSize
		if d.state.word(at).Load() == 0 || !d.state.alive(slot) {
			continue
		}
		for i, field := range held {
			*field += int64(d.state.word(at + 8 + (device*heldKinds+i)*8).Load())
		}
	}
	return c
}

// Await waits until a device's counters are as wanted, and fails the test after a
// minute.
func (d *Driver) Await(t testing.TB, device int, what string, wanted func(Counts) bool) Counts {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		c := d.Counts(device)
		if wanted(c) {
			return c
		}
		select {
		case <-ctx.Done():
			t.Fatalf("waited for %s of device %d in vain: %+v", what, device, c)
		case <-tick.C:
		}
	}
}
