package devices

import (
	"context"

	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// count returns how many encoders a GPU can have open. At start all GPUs are counted before any of them
// takes sessions.
func (c *gpuDevice) count(ctx context.Context, device *Device) EncoderCount {
	k := c.k
	defer k.uncounted.over(c.d.UUID)
	if !k.acquireTest(ctx) {
		return EncoderCount{}
	}
	defer k.releaseTest()
	found, known := k.limits.known(c.d, func(card string) bool { return k.o.Use(card) > 0 })
	if !known {
		found = device.Count(ctx)
	}
	k.limits.add(c.d, found)
	return found
}

// test tests the GPU while no other GPU is tested: drivers limit encoders for the whole machine, and
// tests at the same time would slow each other down.
func (c *gpuDevice) test(ctx context.Context, device *Device) ProbeResult {
	found := c.count(ctx, device)
	// Sessions on this GPU would take encoders that the count of the other GPUs needs.
	c.k.uncounted.await(ctx, c.k.o.Counts)
	if !c.k.acquireTest(ctx) {
		return ProbeResult{Fault: fault.Wrap(fault.CodeOf(ctx.Err()), "wait for the test of another GPU", ctx.Err())}
	}
	defer c.k.releaseTest()
	if !found.None {
		return device.TestCounted(ctx, found)
	}
	// None can also mean that other programs use all encoders. A GPU that then passes the test without
	// an encoder has none.
	result := device.Test(ctx)
	if result.Fault == nil {
		c.k.limits.add(c.d, EncoderCount{Most: result.EncoderSessions, None: result.NoEncoder})
	}
	return result
}

// acquireTest waits until no other GPU is tested. It returns false if ctx ends first.
func (k *Keeper) acquireTest(ctx context.Context) bool {
	select {
	case k.testing <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (k *Keeper) releaseTest() { <-k.testing }

// encoderMissing returns the key of the condition that the driver refuses the GPU's encoder.
func (c *gpuDevice) encoderMissing() health.Key {
	return health.Key{Code: fault.GPUEncoderMissing, About: "gpu " + c.name}
}

// reportEncoder sets the condition if the GPU has an encoder and cannot use it, else clears it.
func (c *gpuDevice) reportEncoder(d device.GPU, noEncoder bool) {
	if !noEncoder || !d.Encodes {
		c.k.o.Board.Clear(c.encoderMissing())
		return
	}
	c.k.o.Board.Set(c.encoderMissing(), "the driver refuses the encoder of the "+d.Name+"; the CPU encodes instead")
}
