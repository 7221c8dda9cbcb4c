package transcoders

import (
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// told are the faults that the network's transcoders tell by their wire text. Two
// of the same text are in the order in which they are tried. Read-only.
var wireFaults = []fault.Code{
	fault.RemoteIncompatible,
	// Those that no other transcoder does better with.
	fault.TranscoderInvalidResolution, fault.TranscoderInvalidVideo, fault.TranscoderUnrecognizedFormat,
	fault.TranscoderUnrecognizedProfile, fault.TranscoderInvalidGOP, fault.TranscoderIncompatibleDevices,
	fault.UnsupportedInputPixelFormat, fault.UnsupportedInputCodec, fault.NoKeyframes, fault.FiltergraphFailed,
	fault.TooManyOutputs, fault.EncodedFramesRunaway, fault.UnrecoverableState,
	fault.DecoderNotFound, fault.DemuxerNotFound, fault.EncoderNotFound, fault.MuxerNotFound,
	fault.OptionNotFound, fault.InvalidArgument,
	// Those whose input is at fault, though gateways try again.
	fault.TranscoderInvalidDuration, fault.TranscoderInvalidClipConfig, fault.InvalidData, fault.EmptyData,
	// Those of the device or its moment.
	fault.TranscoderInvalidHardware, fault.TranscoderInvalidInput, fault.TranscoderStopped, fault.TranscoderBusy,
	fault.OrchestratorCapped, fault.ErrTranscoderUnavailable,
}

// failureOf is the fault of a transcoder's error. Workers of our own kind name its
// code. Of others, a text that gateways know stays that text; any other goes on to the
// gateway as it is, and the segment may be tried elsewhere.
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

// passes reports whether a code that a worker names is one of media work: a worker
// has nothing to say of payments or of this node's own state.
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
