package libav

import (
	"context"
	"fmt"

	"github.com/asticode/go-astiav"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/libav/mediafile"
)

// runaway is how many frames may be encoded per decoded frame. Encoded pixels
// are paid and cost time; a source with a broken clock must not multiply them.
const runaway = 25

// maxRedeclared is how often in a segment an encoder is replaced because pixels or colors
// have changed, and not the size. Honest sources do so once or twice; opening an encoder
// for every frame costs more than the frame.
const maxRedeclared = 64

// rendition makes one output of a segment: it scales, converts the frame rate,
// encodes and keeps the packets until the file is written. It runs in a
// goroutine of its own and shares nothing with the other renditions but the
// decoded frames, which it does not change.
type rendition struct {
	job     *job
	slot    int
	profile core.Profile
	in      chan decodedFrame

	base   mediafile.TimeBase
	grid   *mediafile.Grid // nil when the source's frames are kept
	window *mediafile.Window
	keys   mediafile.Keys
	// shown is the form of the source's frames at the moment; redeclared counts the
	// encoders that were replaced for another one of the same size.
	shown      shape
	redeclared int
	// width and height are the rendition's present size, scaler makes frames of it.
	width, height int
	scaler        scaling
	enc           *encoder
	sign          *signer
	frameTimes
	renditionOutput
}

// frameTimes is the frame that waits for its successor, and how times are moved.
type frameTimes struct {
	// held waits for its successor, which tells how long it is shown.
	held    decodedFrame
	holding bool
	first   int64
	shift   int64
	started bool
}

// renditionOutput is what was encoded so far.
type renditionOutput struct {
	file    file
	slots   int64
	encoded core.Frames
	pixels  core.Pixels
	// out is the result, once run has returned without an error.
	out core.Rendition
}

func newRendition(j *job, slot int, p core.Profile) *rendition {
	r := &rendition{job: j, slot: slot, profile: p, in: make(chan decodedFrame, queued), base: mediafile.MPEGClock}
	if p.FPS.Passthrough() {
		if j.in.video != nil {
			r.base = base(j.in.video)
		}
		if p.GOP > 0 {
			r.keys.Interval = max(1, r.base.Ticks(int64(p.GOP)))
		}
	} else {
		num, den := p.FPS.Norm()
		r.grid = mediafile.NewGrid(r.base, num, den)
	}
	if c := j.spec.Clip; c != nil {
		r.window = &mediafile.Window{
			From: r.base.Ticks(int64(c.From)), To: r.base.Ticks(int64(c.To)),
			EndInside: r.grid != nil,
		}
	}
	return r
}

// run takes frames until the decoder is done, then finishes the encoder.
func (r *rendition) run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return failed(opEncode, context.Cause(ctx))
		case p, more := <-r.in:
			if !more {
				return r.finish()
			}
			if err := r.take(p); err != nil {
				return err
			}
		}
	}
}

// take moves a frame's times to the encoder's base and encodes it, or on a
// fixed rate the one before it, whose share is now known.
func (r *rendition) take(p decodedFrame) error {
	from := base(r.job.in.video)
	p.time, p.length = mediafile.Rescale(p.time, from, r.base), max(1, mediafile.Rescale(p.length, from, r.base))
	if !r.started {
		r.started, r.first = true, p.time
		if r.window != nil {
			r.shift = r.window.Shift(p.time)
		}
	}
	if r.grid == nil {
		defer p.frame.Free()
		_, err := r.show(p, p.time, p.length)
		return err
	}
	slots := r.grid.Add(p.time)
	previous, holding := r.held, r.holding
	r.held, r.holding = p, true
	if !holding {
		return nil
	}
	defer previous.frame.Free()
	return r.fill(previous, slots, p.decoded)
}

// fill shows a frame at every grid point that is its own.
func (r *rendition) fill(p decodedFrame, slots mediafile.Slots, decoded int64) error {
	if r.slots += slots.Len(); r.slots > runaway*decoded {
		return fault.New(fault.EncodedFramesRunaway, opEncode,
			fmt.Sprintf("more than %d frames from %d", runaway*decoded, decoded))
	}
	for n := slots.From; n < slots.To; n++ {
		shown, err := r.show(p, r.grid.Time(n), r.grid.Step())
		if err != nil {
			return err
		}
		if n == slots.From {
			stripRepeated(p.frame)
			if shown != nil {
				stripRepeated(shown)
			}
		}
	}
	return nil
}

// show encodes a frame at time t and returns the AVFrame that was encoded, or nil when
// a clip leaves it out. That may be the decoded frame's own, so it must not be kept
// for longer than the decoded frame.
func (r *rendition) show(p decodedFrame, t, length int64) (*astiav.Frame, error) {
	if r.window != nil && !r.window.Keeps(t, r.first) {
		return nil, nil
	}
	if err := r.fit(p); err != nil {
		return nil, err
	}
	f, err := r.scaler.scale(p.frame)
	if err != nil {
		return nil, err
	}
	if r.enc == nil {
		if err := r.beginEncoder(p, f); err != nil {
			return nil, err
		}
	}
	t -= r.shift
	prepare(f, t, length, r.keys.Force(t))
	r.file.sawVideo(t)
	if r.job.spec.Signature {
		if err := r.signFrame(f); err != nil {
			return nil, err
		}
	}
	r.encoded++
	r.pixels += core.Pixels(r.width) * core.Pixels(r.height)
	return f, r.enc.encode(f, r.keep)
}

// fit makes sure that scaler and encoder have the form that this frame asks for.
// A source that changes what encoders declare, the size, the pixels' shape or the
// colors, ends the encoder; a new one begins in the same file.
func (r *rendition) fit(p decodedFrame) error {
	s := shapeOf(p.info)
	if r.scaler != nil && s == r.shown {
		return nil
	}
	w, h, err := transcoder.OutputSize(s.width, s.height, r.box(s))
	if err != nil {
		return err
	}
	before, resized := r.shown, w != r.width || h != r.height
	r.shown = s
	if r.scaler != nil {
		if !resized && (s.declaredAs(before) || r.redeclared == maxRedeclared) {
			return nil
		}
		if err := r.endEncoder((*encoder).free); err != nil {
			return err
		}
		if !resized {
			r.redeclared++
			return nil
		}
		r.scaler.close()
	}
	r.width, r.height = w, h
	r.scaler = r.newScaler(w, h)
	return nil
}

func (r *rendition) beginEncoder(p decodedFrame, like *astiav.Frame) error {
	rate, steady := r.job.rate, r.job.steady
	if !r.profile.FPS.Passthrough() {
		num, den := r.profile.FPS.Norm()
		rate, steady = astiav.NewRational(int(min(num, 1<<30)), int(min(den, 1<<30))), true
	}
	e, err := r.job.backend.encoder(encoderSpec{
		profile: r.profile,
		width:   r.width, height: r.height,
		base: r.base, rate: rate, steady: steady,
		color: encodedColor(p.info), sar: p.info.sar,
		headerApart: r.profile.Format == core.FormatMP4 && r.file.params == nil,
		preset:      r.job.engine.preset,
		threads:     r.job.threads,
	}, like)
	if err != nil {
		return err
	}
	r.enc = e
	if r.file.params == nil {
		return r.file.describe(e)
	}
	return nil
}

// keep stores an encoded packet until the file is written.
func (r *rendition) keep(p *astiav.Packet) error { return r.file.keepVideo(p) }

// endEncoder drains the encoder, if there is one, and does with it what is left to do.
func (r *rendition) endEncoder(done func(*encoder)) error {
	if r.enc == nil {
		return nil
	}
	if err := r.enc.encode(nil, r.keep); err != nil {
		return err
	}
	done(r.enc)
	r.enc = nil
	return nil
}

// finish encodes what is held, drains the encoder and writes the file. The
// decoder is done by then.
func (r *rendition) finish() error {
	if r.holding {
		end := mediafile.Rescale(r.job.dec.end, base(r.job.in.video), r.base)
		r.holding = false
		err := r.fill(r.held, r.grid.End(end), int64(r.job.dec.frames))
		r.held.frame.Free()
		if err != nil {
			return err
		}
	}
	if err := r.endEncoder((*encoder).finish); err != nil {
		return err
	}
	if err := r.checkClip(); err != nil {
		return err
	}
	if err := r.finishSignature(); err != nil {
		return err
	}
	return r.write()
}

// checkClip refuses a clip that keeps none of the segment's frames.
func (r *rendition) checkClip() error {
	c := r.job.spec.Clip
	if c == nil || r.encoded > 0 || r.job.dec.frames == 0 {
		return nil
	}
	return fault.New(fault.TranscoderInvalidClipConfig, opEncode,
		fmt.Sprintf("no frame from %s to %s of %d frames", c.From, c.To, r.job.dec.frames))
}

func (r *rendition) write() error {
	data, err := r.file.write(fileSpec{
		format: r.profile.Format, origin: r.job.spec.Origin, version: r.job.engine.version,
		videoBase: r.base, in: r.job.in, audio: r.job.audioFor(r),
	})
	if err != nil {
		return err
	}
	if len(data) < core.MinRenditionBytes {
		return fault.New(fault.ZeroSegments, opWrite, fmt.Sprintf("rendition of %d bytes", len(data)))
	}
	r.out = core.Rendition{Data: data, Frames: r.encoded, Pixels: r.pixels}
	if r.sign != nil {
		r.out.Signature = r.sign.data
	}
	r.file.close()
	return nil
}

// close frees everything, also after an error in the middle.
func (r *rendition) close() {
	if r.holding {
		r.held.frame.Free()
		r.holding = false
	}
	for len(r.in) > 0 {
		(<-r.in).frame.Free()
	}
	if r.enc != nil {
		r.enc.free()
		r.enc = nil
	}
	if r.sign != nil {
		r.sign.close()
	}
	if r.scaler != nil {
		r.scaler.close()
	}
	r.file.close()
}

// shape is what a source's frames look like, as far as renditions declare it.
type shape struct {
	width, height int
	// sarNum and sarDen are the pixels' aspect ratio, 1:1 where that is unknown.
	sarNum, sarDen int
	color          color
}

func shapeOf(i frameInfo) shape {
	s := shape{width: i.width, height: i.height, sarNum: i.sar.Num(), sarDen: i.sar.Den(), color: encodedColor(i)}
	if s.sarNum <= 0 || s.sarDen <= 0 {
		s.sarNum, s.sarDen = 1, 1
	}
	s.color.chroma = 0 // encoders do not declare it
	return s
}

// declaredAs reports whether an encoder of the same size says the same of both.
func (s shape) declaredAs(o shape) bool {
	return s.color == o.color && s.sarNum*o.sarDen == s.sarDen*o.sarNum
}

// encodedColor returns the tags of a rendition: those of the source, except that
// frames without luma and chroma become the plain kind of both.
func encodedColor(i frameInfo) color {
	const spaceRGB, spaceSD, rangeLimited = 0, 6, 1
	c := i.color
	if c.space == spaceRGB {
		c.space, c.codedRange = spaceSD, rangeLimited
	}
	return c
}
