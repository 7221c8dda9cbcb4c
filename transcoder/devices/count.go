package devices

import (
	"context"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/gpu"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/transcoder/probe"
)

// count finds out how many encoders a GPU may have open, before any GPU of the
// start is offered.
func (c *gpuDevice) count(ctx context.Context, device *probe.Device) probe.Encoders {
	k := c.k
	defer k.uncounted.over(c.d.UUID)
	if !k.acquireTest(ctx) {
		return probe.Encoders{}
	}
	defer k.releaseTest()
	found, known := k.limits.known(c.d, func(card string) bool { return k.o.Use(card) > 0 })
	if !known {
		found = device.Count(ctx)
	}
	k.limits.add(c.d, found)
	return found
}

// test tries the GPU while no other is tried: drivers count encoders for the whole
// machine, and figures of one would make those of the other worse.
func (c *gpuDevice) test(ctx context.Context, device *probe.Device) probe.Result {
	found := c.count(ctx, device)
	// What is offered before the others are counted would be missing from their count.
	c.k.uncounted.await(ctx, c.k.o.Counts)
	if !c.k.acquireTest(ctx) {
		return probe.Result{Fault: fault.Wrap(fault.CodeOf(ctx.Err()), "wait for the test of another GPU", ctx.Err())}
	}
	defer c.k.releaseTest()
	if !found.None {
		return device.TestCounted(ctx, found)
	}
	// None may also mean that other programs had all of them. A GPU that works without
	// any after that has none.
	result := device.Test(ctx)
	if result.Fault == nil {
		c.k.limits.add(c.d, probe.Encoders{Most: result.EncoderSessions, None: result.NoEncoder})
	}
	return result
}

// acquireTest waits until no other GPU is tested; false when ctx ends first.
func (k *Keeper) acquireTest(ctx context.Context) bool {
	select {
	case k.testing <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (k *Keeper) releaseTest() { <-k.testing }

// encoderMissing returns the key of the condition of a GPU whose encoder is out of reach.
func (c *gpuDevice) encoderMissing() health.Key {
	return health.Key{Code: fault.GPUEncoderMissing, About: "gpu " + c.name}
}

// reportEncoder sets the condition of a GPU that has an encoder and does not encode.
func (c *gpuDevice) reportEncoder(d gpu.Device, noEncoder bool) {
	if !noEncoder || !d.Encodes {
		c.k.o.Board.Clear(c.encoderMissing())
		return
	}
	c.k.o.Board.Set(c.encoderMissing(), "the CPU encodes for the "+d.Name+", whose encoder the driver refuses")
}
