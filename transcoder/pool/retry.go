package pool

import (
	"context"

	"github.com/tuttinode/tutti/core/fault"
)

// isRemote reports whether the device is on another machine.
func (d *poolDevice) isRemote() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.offer.Remote
}

// worthRetry reports whether another attempt can succeed.
func worthRetry(err error) bool {
	switch fault.CodeOf(err) {
	case fault.Canceled, fault.DeadlineExceeded, fault.SegmentRefused:
		return false
	case fault.UnsupportedInputCodec, fault.UnsupportedInputPixelFormat, fault.EncoderSessionsExhausted,
		fault.GPUOutOfMemory:
		// Another device may support it or have capacity.
		return true
	}
	return fault.Retryable(err) && fault.ClassOf(err) != fault.BadRequest
}

// isFinal reports whether another attempt on the same device would fail again.
func isFinal(err error) bool {
	code := fault.CodeOf(err)
	return !worthRetry(err) && code != fault.Canceled && code != fault.DeadlineExceeded
}

// isContradictable reports whether a failure counts against its device once another
// poolDevice did the segment. Differences in capabilities and transient failures do not.
func isContradictable(err error) bool {
	switch fault.CodeOf(err) {
	case fault.RemoteWorkerLost, fault.RemoteIncompatible, fault.WorkerReplaced,
		fault.UnsupportedInputCodec, fault.UnsupportedInputPixelFormat, fault.Canceled, fault.DeadlineExceeded:
		return false
	}
	return !capacityFailure(err) && !deviceFault(err) && fault.ClassOf(err) != fault.Busy
}

// workerDied reports whether the worker died or hung during the segment.
func workerDied(err error) bool {
	switch fault.CodeOf(err) {
	case fault.WorkerCrashed, fault.WorkerUnresponsive, fault.WorkerOutOfMemory, fault.WorkerProtocol:
		return true
	}
	return false
}

// maybeSegmentFault reports whether the segment may have caused the failure, so that its
// next attempt must not endanger others.
func maybeSegmentFault(err error) bool {
	return workerDied(err) || fault.CodeOf(err) == fault.TranscodeTimeout
}

// deviceFault reports whether a failure counts against the device at once. Failures of
// media do not, or a hostile stream could quarantine a device; see isContradictable.
func deviceFault(err error) bool {
	switch fault.CodeOf(err) {
	case fault.UnrecoverableState, fault.WorkerStartFailed, fault.WorkerQuarantined, fault.RemoteWorkerTimeout:
		return true
	}
	return maybeSegmentFault(err)
}

// maxAttempts bounds the devices that one segment is tried on: a harmful segment must not
// reach all of them.
const maxAttempts = 5

// nextDevice returns the device for the next attempt after d failed, nil when there is none.
// Each device gets one attempt; a single device gets two. A failure that is likely to
// repeat is confirmed by one other device.
func (a *segmentAttempts) nextDevice(ctx context.Context, d *poolDevice, err error) *poolDevice {
	final, f := isFinal(err), fault.CodeOf(err)
	switch {
	case expired(ctx), len(a.failures) >= maxAttempts, !final && !worthRetry(err):
		return nil
	case a.countDevices((*failure).unanswered) >= 2:
		return nil
	}
	tried := make([]*poolDevice, 0, maxAttempts)
	for i := range a.failures {
		tried = append(tried, a.failures[i].d)
	}
	if ended := a.devices((*failure).workerEnded); len(ended) >= 2 {
		return a.nextOpinion(ended, tried, true)
	}
	if agreeing := a.devices((*failure).final); len(agreeing) >= 2 {
		return a.nextOpinion(agreeing, tried, false)
	}
	if a.countDevices((*failure).verdict) > 0 {
		if next := a.p.moveTo(a.s, choice{voters: true}, tried...); next != nil {
			return next
		}
	}
	if next := a.p.move(a.s, false, tried...); next != nil {
		return next
	}
	if final || len(a.failures) > 1 || capacityFailure(err) || f == fault.TranscoderBehind || !d.attached() {
		return nil
	}
	return d
}
