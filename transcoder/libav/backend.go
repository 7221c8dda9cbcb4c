package libav

import "github.com/asticode/go-astiav"

// backend is the device's part of one attempt at a segment: its decoder, scalers and
// encoders, and the memory of its frames.
type backend interface {
	// decoder opens the segment's decoder, or takes one over from the segment before.
	decoder(in *input, threads int) (*decoder, error)
	// place takes a decoded frame and returns it where scalers look for it.
	place(p decodedFrame) (decodedFrame, error)
	// scaler makes the scaler of a rendition, by its number, or of the stage.
	scaler(slot, width, height, threads int) scaling
	// encoder opens an encoder for frames like the one given, or takes over one that
	// did the same work for the segment before.
	encoder(s encoderSpec, like *astiav.Frame) (*encoder, error)
}

// scaling turns decoded frames into frames of one size for an encoder.
type scaling interface {
	// scale returns the frame to encode. It is valid until the next call, and the
	// caller may change its fields; src stays the caller's.
	scale(src *astiav.Frame) (*astiav.Frame, error)
	close()
}

// stageSlot is the slot of the scaler that several renditions share.
const stageSlot = -1

// cpuBackend runs everything on the CPU and keeps no state between segments.
type cpuBackend struct{}

func (cpuBackend) decoder(in *input, threads int) (*decoder, error) { return newDecoder(in, threads) }

func (cpuBackend) place(p decodedFrame) (decodedFrame, error) { return p, nil }

func (cpuBackend) scaler(_, width, height, threads int) scaling {
	return &scaler{width: width, height: height, threads: threads}
}

func (cpuBackend) encoder(s encoderSpec, _ *astiav.Frame) (*encoder, error) { return openEncoder(s) }
