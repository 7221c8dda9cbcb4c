package libav

import (
	"errors"
	"strconv"
	"strings"

	"github.com/asticode/go-astiav"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// The quality scale of NVENC lies this much above that of libx264, and ends at
// maxCQ. plainCRF is what libx264 does by default.
const (
	qualityOffset = 7
	maxCQ         = 51
	plainCRF      = 23
)

// rateSlack is by how much, as a part of one, two segments' frame rates may differ for
// one encoder: a rate computed from a few frames' timestamps varies.
const rateSlack = 0.02

// same reports whether an encoder opened for s does the work of o.
func (s encoderSpec) same(o encoderSpec) bool {
	a, b := s.rate.Float64(), o.rate.Float64()
	near := a <= b*(1+rateSlack) && b <= a*(1+rateSlack)
	return near && s.essence() == o.essence()
}

// essence leaves out what does not matter to a GPU's encoder.
func (s encoderSpec) essence() encoderSpec {
	s.rate, s.steady, s.threads, s.preset = astiav.Rational{}, false, 0, ""
	s.profile.Name, s.profile.Width, s.profile.Height = "", 0, 0
	return s
}

// openNVENC opens an encoder for frames on the GPU like the one given.
func openNVENC(s encoderSpec, like *astiav.Frame) (*encoder, error) {
	e, err := tryNVENC(s, like, reordered(s.profile))
	if r, ok := errors.AsType[*refusal](err); ok && !r.forever && reordered(s.profile) > 0 {
		// Not every GPU reorders frames.
		return tryNVENC(s, like, 0)
	}
	return e, err
}

func tryNVENC(s encoderSpec, like *astiav.Frame, bFrames int) (*encoder, error) {
	name := "h264_nvenc"
	if s.profile.Encoder == core.CodecHEVC {
		name = "hevc_nvenc"
	}
	codec := astiav.FindEncoderByName(name)
	if codec == nil {
		return nil, failed(opEncode, astiav.ErrEncoderNotFound)
	}
	c := astiav.AllocCodecContext(codec)
	if c == nil {
		return nil, failed(opEncode, errENOMEM)
	}
	e := &encoder{c: c, spec: s, log: newCapture(), from: poolOf(like), reorders: bFrames > 0}
	describeEncoder(c, s)
	c.SetPixelFormat(astiav.PixelFormatCuda)
	c.SetHardwareFramesContext(like.HardwareFramesContext())
	d := dictionary(nvencOptions(c, s))
	defer d.Free()
	c.SetMaxBFrames(bFrames)
	if err := e.log.do(func() error { return c.Open(codec, d) }); err != nil {
		e.free()
		return nil, encoderRefused(err)
	}
	if left := unknownOptions(d); left != "" {
		e.free()
		return nil, fault.New(fault.OptionNotFound, opEncode, left)
	}
	return e, nil
}

func nvencOptions(c *astiav.CodecContext, s encoderSpec) map[string]string {
	options := map[string]string{
		// The middle one of seven presets, for quality rather than for latency: what
		// is held back is had at the segment's end at the latest.
		"preset": "p4", "tune": "hq", "forced-idr": "1",
	}
	setNVENCRate(c, s.profile, options)
	setShape(c, s, options)
	if s.profile.Encoder == core.CodecHEVC {
		options["profile"], options["tier"] = "main", "high"
	}
	if s.profile.GOP == core.GOPIntra {
		// A distance of one leaves the preset's B-frames standing, and decode times
		// that lag behind for them; none at all means key frames only.
		c.SetGopSize(0)
	}
	return options
}

// encoderRefused tells a GPU that has no encoder, or not such a one, from a GPU that
// is full or lost.
func encoderRefused(err error) error {
	var text string
	if d, ok := errors.AsType[*deviceError](err); ok {
		text = d.text
	}
	none, unfit := saysNoEncoder(text), strings.Contains(text, "support required NVENC features")
	if none || unfit {
		return &refusal{err: fault.New(fault.EncoderNotFound, opEncode, text), encoder: true, lasting: unfit, forever: none}
	}
	err = orRefusal(deviceFailed(opEncode, err), true)
	if saysUnfit(text) {
		return lasting(err)
	}
	return err
}

// reordered returns how many frames in a row an encoder may put out of order. Sources
// whose own times are kept may have holes in them, which some drivers' encoders meet
// with wrong decode times.
func reordered(p core.Profile) int {
	if p.FPS.Passthrough() || p.Encoder != core.CodecH264 || p.GOP == core.GOPIntra {
		return 0
	}
	if p.Profile == core.ProfileMain || p.Profile == core.ProfileHigh {
		return 3
	}
	return 0
}

// setNVENCRate is setRate for NVENC.
func setNVENCRate(c *astiav.CodecContext, p core.Profile, options map[string]string) {
	rate := int64(min(max(p.Bitrate, minBitrate), maxBitrate))
	quality := p.Quality
	if quality < 0 || quality > maxCQ-qualityOffset {
		quality = 0
	}
	if quality == 0 && p.Bitrate <= 0 {
		quality = plainCRF
	}
	if quality > 0 {
		options["rc"], options["cq"] = "vbr", strconv.Itoa(quality+qualityOffset)
		c.SetBitRate(0)
	} else {
		options["rc"] = "cbr"
		c.SetBitRate(rate)
	}
	if p.Bitrate > 0 {
		c.SetRateControlMaxRate(rate)
		c.SetRateControlBufferSize(int(rate))
	}
}
