package transcoders

import (
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// wireFaults are the faults that the network's transcoders report by wire text. For equal
// texts the first one is taken. Read-only.
var wireFaults = []fault.Code{
	fault.RemoteIncompatible,
	// Faults that repeat on any transcoder.
	fault.TranscoderInvalidResolution, fault.TranscoderInvalidVideo, fault.TranscoderUnrecognizedFormat,
	fault.TranscoderUnrecognizedProfile, fault.TranscoderInvalidGOP, fault.TranscoderIncompatibleDevices,
	fault.UnsupportedInputPixelFormat, fault.UnsupportedInputCodec, fault.NoKeyframes, fault.FiltergraphFailed,
	fault.TooManyOutputs, fault.EncodedFramesRunaway, fault.UnrecoverableState,
	fault.DecoderNotFound, fault.DemuxerNotFound, fault.EncoderNotFound, fault.MuxerNotFound,
	fault.OptionNotFound, fault.InvalidArgument,
	// Faults of the input, though gateways retry them.
	fault.TranscoderInvalidDuration, fault.TranscoderInvalidClipConfig, fault.InvalidData, fault.EmptyData,
	// Faults of the device or its present state.
	fault.TranscoderInvalidHardware, fault.TranscoderInvalidInput, fault.TranscoderStopped, fault.TranscoderBusy,
	fault.OrchestratorCapped, fault.ErrTranscoderUnavailable,
}

// failureOf is the fault of a transcoder's error. Tutti workers name its code. A text that
// gateways know keeps its meaning; any other text is forwarded to the gateway, and the
// segment may be retried elsewhere.
func failureOf(text, code string) error {
	const op = "remote transcoder"
	text = strings.TrimSpace(text)
	if c := fault.Code(code); code != "" && isMediaFault(c) {
		return fault.New(c, op, text)
	}
	for _, c := range wireFaults {
		if row, ok := fault.Lookup(c); ok && row.Wire == text {
			return fault.New(c, op, "")
		}
	}
	return fault.New(fault.TranscoderFailed, op, text)
}

// isMediaFault reports whether a code that a worker names is about media work: a worker must
// not report faults of payments or of this node's own state.
func isMediaFault(c fault.Code) bool {
	row, ok := fault.Lookup(c)
	if !ok || c == fault.Canceled || c == fault.DeadlineExceeded {
		return false
	}
	switch row.Class {
	case fault.BadRequest, fault.Busy, fault.Internal, fault.Upstream, fault.Config:
		return true
	}
	return false
}
