package devices

import (
	"context"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
)

// watch follows a GPU that is offered until ctx ends or the GPU has failed. Its
// offer follows what others want of the memory and the machine; told is what it was at
// first.
func (c *gpuDevice) watch(
	ctx context.Context, device *Device, attachment device.Attachment, offer, offered device.Resources,
) error {
	o := &c.k.o
	ticker := time.NewTicker(o.Look)
	defer ticker.Stop()
	begun, _ := o.Inventory.Sample(c.d.UUID)
	seen := begun.XIDAt
	for {
		changed := o.Budget.Changed()
		if now := c.shareOffer(offer); now.Memory != offered.Memory || now.EncoderSessions != offered.EncoderSessions ||
			now.Cost != offered.Cost {
			offered = now
			attachment.Update(now)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		case <-changed:
			continue
		}
		s, ok := o.Inventory.Sample(c.d.UUID)
		if !ok || !s.XIDAt.After(seen) {
			continue
		}
		seen = s.XIDAt
		if !fatal(s) {
			continue
		}
		why := fault.New(fault.GPUFault, "watch GPU", fmt.Sprintf("XID %d", s.XID))
		attachment.Suspend(why)
		if err := c.reprobe(ctx, device); err != nil {
			return fault.Wrap(fault.GPUFault, "watch GPU", err)
		}
		attachment.Resume()
	}
}

// reprobe tests a GPU after the driver reported an error, in a fresh process, because the
// context of the old one is lost.
func (c *gpuDevice) reprobe(ctx context.Context, device *Device) error {
	device.Replace(fault.GPUFault)
	return device.Reprobe(ctx)
}

// fatal reports whether an error of the driver's concerns the GPU and not only the
// program that met it. 8, 13, 31, 32, 43, 45, 68 and 69 are a process's; whatever else
// there is may be the GPU's.
func fatal(s device.Sample) bool {
	switch s.XID {
	case 0, 8, 13, 31, 32, 43, 45, 68, 69, 109:
		return false
	}
	return true
}
