package devices

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// gpuDevice is a GPU with its worker.
type gpuDevice struct {
	k    *Keeper
	d    device.GPU
	name string
	// fails counts failures in a row.
	fails int
}

// runCard keeps one GPU's worker running until ctx ends, because the GPU is gone or the
// node stops.
func (k *Keeper) runCard(ctx context.Context, d device.GPU) {
	c := &gpuDevice{k: k, d: d, name: strconv.Itoa(d.Index)}
	defer c.notAwaited()
	defer k.o.Board.Clear(c.encoderMissing())
	defer c.report(nil)
	defer k.o.Budget.Reserve(d.UUID, device.Transcoding, 0)
	for ctx.Err() == nil {
		err := c.runWorker(ctx, func() {
			c.fails = 0
			c.report(nil)
			k.coming.over(d.UUID)
		})
		c.notAwaited()
		if ctx.Err() != nil {
			return
		}
		c.report(err)
		if errors.Is(err, fault.EncoderSessionsExhausted) {
			// Other programs use all encoders: the GPU is good.
			c.fails = min(c.fails, busyFails)
		}
		c.pauseRetry(ctx)
	}
}

// notAwaited ends the waits for the GPU.
func (c *gpuDevice) notAwaited() {
	c.k.uncounted.over(c.d.UUID)
	c.k.coming.over(c.d.UUID)
}

// busyFails is the number of failures whose pause is the longest for a GPU that was
// tested while all encoders were in use: four times Options.Pause.
const busyFails = 2

// driverCodes are the reasons that concern the driver or the machine and have a remedy
// of their own.
func driverCodes() []fault.Code {
	return []fault.Code{
		fault.GPUDriverNotLoaded, fault.CUDALibrary, fault.DriverTooOld, fault.GPUDriverMismatch, fault.GPUNoPermission,
		fault.GPUNotReady, fault.GPUUnavailable, fault.GPUOutOfMemory, fault.NoDevices,
	}
}

// report sets the condition of a GPU that is not offered, and with nil clears it. A driver
// problem has its own code, whose remedy says what to do; all others are a failed test.
func (c *gpuDevice) report(err error) {
	code := fault.DeviceTestFailed
	if deep := deepest(err); slices.Contains(driverCodes(), deep) {
		code = deep
	}
	about := "gpu " + c.name
	for _, other := range append(driverCodes(), fault.DeviceTestFailed) {
		if err == nil || other != code {
			c.k.o.Board.Clear(health.Key{Code: other, About: about})
		}
	}
	if err == nil {
		return
	}
	c.k.o.Log.Warn("a GPU is not used", "device", c.name, "name", c.d.Name, fault.Attr(err))
	c.k.o.Board.Set(health.Key{Code: code, About: about}, strings.Join(strings.Fields(err.Error()), " "))
}

// deepest returns the code of a failure's root cause.
func deepest(err error) (code fault.Code) {
	for f, ok := errors.AsType[*fault.Fault](err); ok; f, ok = errors.AsType[*fault.Fault](f.Err) {
		code = f.Code
	}
	return code
}

// pauseRetry waits before the GPU is retried.
func (c *gpuDevice) pauseRetry(ctx context.Context) {
	pause := min(c.k.o.Longest, c.k.o.Pause<<min(c.fails, 16))
	c.fails++
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// runWorker starts one worker, tests it and offers it until ctx ends or the GPU fails.
// offered is called when it is attached. The error is why it ended.
func (c *gpuDevice) runWorker(ctx context.Context, offered func()) error {
	o := &c.k.o
	w, err := o.Start(ctx, c.d)
	if err != nil {
		return err
	}
	defer w.Close()
	defer c.k.limits.remove(c.d.UUID)
	device := NewDevice(w, ProbeOptions{Memory: UsedMemory(o.Inventory, c.d.UUID, time.Now), Streams: 4,
		Log: o.Log})
	found, err := c.findCapabilities(ctx, device)
	if err != nil {
		return err
	}
	offer := o.Base
	if found.Tested {
		offer = found.result().Offer(offer)
	}
	offer = o.Adjust(offer)
	first := c.shareOffer(offer)
	attachment, err := o.Placer.Attach(device, first)
	if err != nil {
		return err
	}
	defer attachment.Detach()
	c.k.addFinding(c.d.UUID, found)
	defer c.k.removeFinding(c.d.UUID)
	offered()
	return c.watch(ctx, device, attachment, offer, first)
}

// findCapabilities finds out what the GPU can do: by a test, unless tests are off or the
// previous process has tested it.
func (c *gpuDevice) findCapabilities(ctx context.Context, device *Device) (Finding, error) {
	o := &c.k.o
	found, ok := c.k.inherit(c.d.UUID)
	said := "a GPU keeps the test results of the previous process"
	var took time.Duration
	switch {
	case !o.Test:
		return Finding{}, nil
	case ok:
		c.k.limits.add(c.d, EncoderCount{Most: found.EncoderSessions, None: found.NoEncoder})
	default:
		result := c.test(ctx, device)
		if result.Fault != nil {
			return Finding{}, result.Fault
		}
		found, said, took = findingOf(&result), "a GPU was tested", result.Took
	}
	c.reportEncoder(c.d, found.NoEncoder)
	o.Log.Info(said, "device", c.name, "name", c.d.Name, "took", took, "encoders", found.EncoderSessions,
		"session MB", found.SessionMemory>>20, "rendition MB", found.RenditionMemory>>20)
	return found, nil
}

// shareOffer reserves memory for transcoding, for one session at least, and returns the
// offer with the GPU's share of the machine's limits.
func (c *gpuDevice) shareOffer(offer device.Resources) device.Resources {
	o := &c.k.o
	least := device.Bytes(AtLeast)
	if offer.SessionMemory > 0 {
		least = device.Bytes(offer.SessionMemory + (renditions-1)*offer.RenditionMemory)
	}
	want := max(least, o.Use(c.name))
	if !o.Budget.Reserve(c.d.UUID, device.Transcoding, want) {
		o.Budget.Reserve(c.d.UUID, device.Transcoding, o.Budget.Available(c.d.UUID, device.Transcoding))
	}
	if free := o.Budget.Available(c.d.UUID, device.Transcoding); free != device.Unlimited {
		offer.Memory = max(1, int64(free))
	}
	return c.k.limits.share(c.d.UUID, offer)
}
