package worker

import "github.com/tuttinode/tutti/core/fault"

// engineFaults are the failures that a worker may report: those of its engine about media, its device and
// its libraries. All others are for the control process to say, which sees them itself: that a worker ended
// or hangs, that a stream is refused, that the node has no place, that a gateway has not paid. A worker that
// was taken over would have them held against honest streams. Read-only.
var engineFaults = map[fault.Code]bool{
	fault.Unexpected: true, fault.Canceled: true, fault.DeadlineExceeded: true, fault.TranscoderStopped: true,
	// The media or the order.
	fault.EmptyData: true, fault.InvalidData: true, fault.NoKeyframes: true, fault.ZeroSegments: true,
	fault.AudioNotCarried: true, fault.EncodedFramesRunaway: true, fault.RenditionTooLarge: true,
	fault.MismatchedSegments: true, fault.TooManyOutputs: true, fault.InvalidArgument: true,
	fault.UnsupportedInputCodec: true, fault.UnsupportedInputPixelFormat: true,
	fault.TranscoderInvalidClipConfig: true, fault.TranscoderInvalidDuration: true, fault.TranscoderInvalidGOP: true,
	fault.TranscoderInvalidInput: true, fault.TranscoderInvalidResolution: true, fault.TranscoderInvalidVideo: true,
	fault.TranscoderUnrecognizedFormat: true, fault.TranscoderUnrecognizedProfile: true,
	// The libraries.
	fault.DecoderNotFound: true, fault.DemuxerNotFound: true, fault.EncoderNotFound: true, fault.MuxerNotFound: true,
	fault.OptionNotFound: true, fault.FiltergraphFailed: true, fault.TranscoderFailed: true,
	// The device.
	fault.TranscoderInvalidHardware: true, fault.NoDevices: true, fault.UnrecoverableState: true,
	fault.EncoderSessionsExhausted: true, fault.GPUOutOfMemory: true, fault.GPUNotReady: true,
	fault.GPUUnavailable: true, fault.GPUDriverMismatch: true, fault.DriverTooOld: true, fault.CUDALibrary: true,
}
