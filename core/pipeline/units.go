package pipeline

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/bits"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// What the network prices a request at that leaves its size open.
const (
	imageSide   = 512
	videoWidth  = 1024
	videoHeight = 576
	// videoFrames is the number of frames that every video is priced at.
	videoFrames = 25
	// unitsPerSecond is what a second of audio is priced at.
	unitsPerSecond = 1000
	// networkUnitsPerCharacter is what orchestrators of the existing network debit for a
	// character of speech. Its gateways reserve bytes, and so do we as an orchestrator.
	networkUnitsPerCharacter = 1000
)

// NetworkFactor returns how many units an orchestrator of the existing network debits, at most,
// where the request has one unit by our count. Its price times this is what one of our
// units costs there.
func NetworkFactor(id capability.ID) int64 {
	if id == capability.TextToSpeech {
		return networkUnitsPerCharacter
	}
	return 1
}

// Measure works out the request's units. ctx bounds the measuring of audio, for
// which media is needed; it may be nil for every other pipeline. The body is not
// referred to any more afterwards.
//
// Errors are faults of class bad request: ImageUnreadable, AudioUnreadable,
// UnitsTooMany; what ctx's end is; or why media cannot look at anything.
func (r *Request) Measure(ctx context.Context, media MediaProbe) error {
	defer func() { r.file = nil }()
	switch r.Model.Capability {
	case capability.LLM:
		return r.measureTokens()
	case capability.TextToSpeech:
		r.NetworkUnits = inference.Units(r.characters) * networkUnitsPerCharacter
		return r.count(int64(r.text)) // bytes, as gateways reserve
	case capability.AudioToText:
		return r.measureAudio(ctx, media)
	case capability.TextToImage:
		return r.count(int64(cmp.Or(r.Width, imageSide)), int64(cmp.Or(r.Height, imageSide)), int64(r.N))
	case capability.ImageToVideo:
		return r.count(int64(cmp.Or(r.Width, videoWidth)), int64(cmp.Or(r.Height, videoHeight)), videoFrames)
	}
	if err := r.measureImage(); err != nil {
		return err
	}
	return r.count(int64(r.Width), int64(r.Height), int64(r.N))
}

// measureTokens counts what the answers may have. Embeddings and ranks have no tokens of
// their own: they are priced at about the tokens that they read.
func (r *Request) measureTokens() error {
	switch {
	case !r.Operation.Generates():
		return r.count(max(1, (int64(r.PromptBytes)+bytesPerToken-1)/bytesPerToken))
	case r.MaxTokens == 0:
		return r.count(int64(DefaultMaxTokens), int64(r.N))
	}
	return r.count(int64(r.MaxTokens), int64(r.N))
}

// count sets the units to the factors' product.
func (r *Request) count(factors ...int64) error {
	product := uint64(1)
	for _, f := range factors {
		high, low := bits.Mul64(product, uint64(f))
		if high != 0 || low > math.MaxInt64 || f < 0 {
			return fault.New(fault.UnitsTooMany, "measure request", "the request asks for too much at once")
		}
		product = low
	}
	r.Units = inference.Units(product)
	return nil
}

func (r *Request) measureImage() error {
	cfg, err := imageConfig(r.file)
	if err == nil && (cfg.Width < 1 || cfg.Height < 1) {
		err = errors.New("no pixels")
	}
	if err != nil {
		return &fault.Fault{Code: fault.ImageUnreadable, Op: "measure request", Detail: err.Error(), Err: err}
	}
	r.Width, r.Height = cfg.Width, cfg.Height
	return nil
}

// measureAudio counts whole seconds, as the network does, but at least one.
func (r *Request) measureAudio(ctx context.Context, media MediaProbe) error {
	const op = "measure audio"
	if media == nil {
		return fault.New(fault.AudioUnreadable, op, "this node cannot measure audio")
	}
	d, err := media.Duration(ctx, r.file)
	if ctx.Err() != nil {
		return fault.Wrap(fault.CodeOf(ctx.Err()), op, ctx.Err())
	}
	if err == nil && d <= 0 {
		err = errors.New("no sound")
	}
	switch code := fault.CodeOf(err); {
	case err == nil:
	case code == fault.WorkerStartFailed, code.Class() == fault.Busy:
		return err // the sound has nothing to do with it
	default:
		return &fault.Fault{Code: fault.AudioUnreadable, Op: op,
			Detail: "Unable to calculate duration: send mp4, webm, mp3, flac, wav or m4a", Err: err}
	}
	r.Duration = d
	return r.count(max(1, int64(d/time.Second)), unitsPerSecond)
}
