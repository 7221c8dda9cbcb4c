package verify

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/signature"
)

// Result is an orchestrator's result of a segment, and what is known to check it.
type Result struct {
	// Signer is the address that must have signed: the one in the orchestrator's terms, or the
	// recipient of its tickets when that is zero. Off-chain both are zero, and then
	// there is no signature to check.
	Signer    core.Address
	Signature []byte
	// Renditions are the files as they were downloaded, Pixels what was reported of
	// each, Profiles what was asked for; all in one order.
	Renditions [][]byte
	Pixels     []core.Pixels
	Profiles   []core.Profile
	// Hashes gives the renditions' hashes where they are made concurrently; it may wait
	// for them. Nil has Check make them, with Keccak-256.
	Hashes func() [][signature.HashSize]byte
	// Source is the source's size by its headers, zero when it is not known; Input is what
	// its frames are, and can become.
	Source Size
	Input  Source
}

// Check reports whether a result is what it claims to be. The error is the first fault found:
// RenditionCount, ResultSignature, RenditionUnreadable, PixelsMismatch or RenditionSize.
func (r *Result) Check() error {
	const op = "check result"
	if n := len(r.Profiles); len(r.Renditions) != n || len(r.Pixels) != n {
		return fault.New(fault.RenditionCount, op, fmt.Sprintf("%d renditions for %d profiles", len(r.Renditions), n))
	}
	for i, data := range r.Renditions {
		if err := r.rendition(i, data); err != nil {
			return fmt.Errorf("rendition %s: %w", r.Profiles[i].Name, err)
		}
	}
	// Last, because the hashes may still be in the making.
	if !r.Signer.IsZero() {
		if err := r.checkSignature(); err != nil {
			return fault.Wrap(fault.ResultSignature, op, err)
		}
	}
	return nil
}

func (r *Result) checkSignature() error {
	var hashes [][signature.HashSize]byte
	if r.Hashes != nil {
		hashes = r.Hashes()
	} else {
		for _, data := range r.Renditions {
			hashes = append(hashes, signature.Keccak256(data))
		}
	}
	preimage := signature.Result(hashes)
	return signature.EthVerify(common.Address(r.Signer), preimage[:], r.Signature)
}

func (r *Result) rendition(i int, data []byte) error {
	v, err := Count(data)
	if err != nil {
		return err
	}
	if v.Pixels != r.Pixels[i] {
		return fault.New(fault.PixelsMismatch, "check rendition",
			fmt.Sprintf("%d pixels reported, %d found in %d frames", r.Pixels[i], v.Pixels, v.Frames))
	}
	if err := checkSize(v, r.size(), r.Profiles[i]); err != nil {
		return err
	}
	return r.Input.checkFrames(v, r.Profiles[i])
}

// size returns the source's size if all of its frames have it, else zero. The client makes the source:
// one that changes its size, or whose headers differ from its frames, must not make an honest
// result look false.
func (r *Result) size() Size {
	switch in := &r.Input; {
	case in.Mixed, in.Most == 0 && in.Pictures > 0:
		return Size{}
	case in.Size != Size{}:
		return in.Size
	}
	return r.Source
}
