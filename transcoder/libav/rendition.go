package libav

import (
	"context"
	"fmt"

	"github.com/asticode/go-astiav"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/libav/timing"
)

// runaway is how many frames may be encoded per decoded frame. Encoded pixels
// are paid and cost time; a source with a broken clock must not multiply them.
const runaway = 25

// rendition makes one output of a segment: it scales, converts the frame rate,
// encodes and keeps the packets until the file is written. It runs in a
// goroutine of its own and shares nothing with the other renditions but the
// decoded frames, which it does not change.
type rendition struct {
	job     *job
	profile core.Profile
	in      chan picture

	base   timing.Base
	grid   *timing.Grid // nil when the source's frames are kept
	window *timing.Window
	keys   timing.Keys
	scaler scaler
	enc    *encoder
	sign   *signer

	// held waits for its successor, which tells how long it is shown.
	held    picture
	holding bool
	first   int64
	shift   int64
	started bool

	file    file
	slots   int64
	encoded core.Frames
	pixels  core.Pixels
	// out is the result, once run has returned without an error.
	out core.Rendition
}

func newRendition(j *job, p core.Profile) *rendition {
	r := &rendition{job: j, profile: p, in: make(chan picture, queued), base: timing.MPEG}
	if p.FPS.Passthrough() {
		if j.in.video != nil {
			r.base = base(j.in.video)
		}
		if p.GOP > 0 {
			r.keys.Interval = max(1, r.base.Ticks(int64(p.GOP)))
		}
	} else {
		num, den := p.FPS.Norm()
		r.grid = timing.NewGrid(r.base, num, den)
	}
	if c := j.spec.Clip; c != nil {
		r.window = &timing.Window{
			From: r.base.Ticks(int64(c.From)), To: r.base.Ticks(int64(c.To)),
			EndInside: r.grid != nil,
		}
	}
	return r
}

// run takes pictures until the decoder is done, then finishes the encoder.
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

// take moves a picture's times to the encoder's base and encodes it, or on a
// fixed rate the one before it, whose share is now known.
func (r *rendition) take(p picture) error {
	from := base(r.job.in.video)
	p.time, p.length = timing.Rescale(p.time, from, r.base), max(1, timing.Rescale(p.length, from, r.base))
	if !r.started {
		r.started, r.first = true, p.time
		if r.window != nil {
			r.shift = r.window.Shift(p.time)
		}
	}
	if r.grid == nil {
		defer p.frame.Free()
		return r.show(p, p.time, p.length)
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

// fill shows a picture at every grid point that is its own.
func (r *rendition) fill(p picture, slots timing.Slots, decoded int64) error {
	if r.slots += slots.Len(); r.slots > runaway*decoded {
		return fault.New(fault.EncodedFramesRunaway, opEncode,
			fmt.Sprintf("more than %d frames from %d", runaway*decoded, decoded))
	}
	for n := slots.From; n < slots.To; n++ {
		if err := r.show(p, r.grid.Time(n), r.grid.Step()); err != nil {
			return err
		}
		if n == slots.From {
			stripRepeated(p.frame)
			if r.scaler.out != nil {
				stripRepeated(r.scaler.out)
			}
		}
	}
	return nil
}

// show encodes a picture at time t, unless a clip leaves it out.
func (r *rendition) show(p picture, t, length int64) error {
	if r.window != nil && !r.window.Keeps(t, r.first) {
		return nil
	}
	if err := r.fit(p); err != nil {
		return err
	}
	f, err := r.scaler.scale(p.frame)
	if err != nil {
		return err
	}
	t -= r.shift
	prepare(f, t, length, r.keys.Force(t))
	r.file.sawVideo(t)
	if r.job.spec.Signature {
		if err := r.signFrame(f); err != nil {
			return err
		}
	}
	r.encoded++
	r.pixels += core.Pixels(r.scaler.width) * core.Pixels(r.scaler.height)
	return r.enc.encode(f, r.keep)
}

// fit makes sure that the encoder has the size that this picture asks for. A
// source that changes its size ends the encoder and begins a new one, in the
// same file.
func (r *rendition) fit(p picture) error {
	if r.enc != nil && r.file.srcWidth == p.info.width && r.file.srcHeight == p.info.height {
		return nil
	}
	w, h, err := transcoder.OutputSize(p.info.width, p.info.height, r.profile)
	if err != nil {
		return err
	}
	r.file.srcWidth, r.file.srcHeight = p.info.width, p.info.height
	if r.enc != nil {
		if w == r.scaler.width && h == r.scaler.height {
			return nil
		}
		if err := r.endEncoder(); err != nil {
			return err
		}
	}
	r.scaler.close()
	r.scaler = scaler{width: w, height: h, threads: 1}
	return r.beginEncoder(p)
}

func (r *rendition) beginEncoder(p picture) error {
	rate, steady := r.job.rate, r.job.steady
	if !r.profile.FPS.Passthrough() {
		num, den := r.profile.FPS.Norm()
		rate, steady = astiav.NewRational(int(min(num, 1<<30)), int(min(den, 1<<30))), true
	}
	e, err := openEncoder(encoderSpec{
		profile: r.profile,
		width:   r.scaler.width, height: r.scaler.height,
		base: r.base, rate: rate, steady: steady,
		color: encodedColor(p.info), sar: p.info.sar,
		headerApart: r.profile.Format == core.FormatMP4 && r.file.params == nil,
		preset:      r.job.engine.preset,
		threads:     r.job.threads,
	})
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

func (r *rendition) endEncoder() error {
	err := r.enc.encode(nil, r.keep)
	r.enc.close()
	r.enc = nil
	return err
}

// finish encodes what is held, drains the encoder and writes the file. The
// decoder is done by then.
func (r *rendition) finish() error {
	if r.holding {
		end := timing.Rescale(r.job.dec.end, base(r.job.in.video), r.base)
		r.holding = false
		err := r.fill(r.held, r.grid.End(end), int64(r.job.dec.frames))
		r.held.frame.Free()
		if err != nil {
			return err
		}
	}
	if r.enc != nil {
		if err := r.endEncoder(); err != nil {
			return err
		}
	}
	if err := r.finishSignature(); err != nil {
		return err
	}
	return r.write()
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
		r.enc.close()
		r.enc = nil
	}
	if r.sign != nil {
		r.sign.close()
	}
	r.scaler.close()
	r.file.close()
}

// encodedColor are the tags of a rendition: those of the source, except that
// pictures without luma and chroma become the plain kind of both.
func encodedColor(i frameInfo) color {
	const spaceRGB, spaceSD, rangeLimited = 0, 6, 1
	c := i.color
	if c.space == spaceRGB {
		c.space, c.codedRange = spaceSD, rangeLimited
	}
	return c
}
