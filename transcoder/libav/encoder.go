package libav

import (
	"errors"
	"slices"
	"strconv"

	"github.com/asticode/go-astiav"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder/libav/mediafile"
)

const opEncode = "encode rendition"

// Bounds of what libx264 takes for a rate, in bits per second.
const (
	minBitrate = 1_000
	maxBitrate = 800_000_000
)

// lookahead is how many frames ahead rate control looks at most, the same as the
// preset "faster". Slower presets look further, which holds megabytes per frame
// and gains nothing measurable at a constant rate with a buffer of one second.
const lookahead = "20"

// maxCRF is the largest constant rate factor that is not ignored.
const maxCRF = 63

// flagFrameDuration is AV_CODEC_FLAG_FRAME_DURATION: frames say how long they are
// shown, and packets shall too.
const flagFrameDuration = astiav.CodecContextFlag(1 << 8)

// encoderSpec is all that decides how an encoder is opened.
type encoderSpec struct {
	profile       core.Profile
	width, height int
	base          mediafile.TimeBase
	rate          astiav.Rational
	// steady says that frames come at an even pace, so that the stream may
	// declare a fixed rate.
	steady bool
	color  color
	sar    astiav.Rational
	// headerApart keeps stream headers out of the first packet, as MP4 wants.
	headerApart bool
	preset      string
	threads     int
}

// encoder serves a run of frames of one size inside one segment. libx264 takes no
// frames after a drain and is freed then; a GPU's encoder may go on to the same
// rendition of the next segment.
type encoder struct {
	c    *astiav.CodecContext
	spec encoderSpec

	// The rest concerns a GPU's encoder.

	log  *capture
	from pool
	// keep takes the drained encoder for the next segment; nil: it is freed.
	keep func(*encoder)
	// rested says that it was at work in the present segment.
	rested bool
	// reorders holds packets back until all are there and have decode times.
	reorders bool
	held     []*astiav.Packet
}

func openEncoder(s encoderSpec) (*encoder, error) {
	codec := astiav.FindEncoderByName("libx264")
	if codec == nil || s.profile.Encoder != core.CodecH264 {
		return nil, failed(opEncode, astiav.ErrEncoderNotFound)
	}
	c := astiav.AllocCodecContext(codec)
	if c == nil {
		return nil, failed(opEncode, errENOMEM)
	}
	describeEncoder(c, s)
	c.SetPixelFormat(astiav.PixelFormatYuv420P)
	c.SetThreadCount(s.threads)
	options := map[string]string{"preset": s.preset, "forced-idr": "1"}
	if slices.Index(Presets(), s.preset) > slices.Index(Presets(), "faster") {
		options["rc-lookahead"] = lookahead
	}
	if s.steady {
		options["x264-params"] = "force-cfr=1"
	}
	setRate(c, s.profile, options)
	setShape(c, s, options)
	d := dictionary(options)
	defer d.Free()
	if err := c.Open(codec, d); err != nil {
		c.Free()
		return nil, failed(opEncode, err)
	}
	if left := unknownOptions(d); left != "" {
		c.Free()
		return nil, fault.New(fault.OptionNotFound, opEncode, left)
	}
	return &encoder{c: c, spec: s}, nil
}

// describeEncoder tells an encoder what every kind of it has to know.
func describeEncoder(c *astiav.CodecContext, s encoderSpec) {
	c.SetWidth(s.width)
	c.SetHeight(s.height)
	c.SetTimeBase(rational(s.base))
	c.SetFramerate(s.rate)
	c.SetSampleAspectRatio(s.sar)
	c.SetColorRange(astiav.ColorRange(s.color.codedRange))
	c.SetColorPrimaries(astiav.ColorPrimaries(s.color.primaries))
	c.SetColorTransferCharacteristic(astiav.ColorTransferCharacteristic(s.color.transfer))
	c.SetColorSpace(astiav.ColorSpace(s.color.space))
	c.SetFlags(c.Flags().Add(flagFrameDuration))
	if s.headerApart {
		c.SetFlags(c.Flags().Add(astiav.CodecContextFlagGlobalHeader))
	}
}

// setRate asks for a constant bit rate with a buffer of one second, for a
// constant quality under that rate, or leaves both to the encoder.
func setRate(c *astiav.CodecContext, p core.Profile, options map[string]string) {
	crf := p.Quality > 0 && p.Quality <= maxCRF
	if crf {
		options["crf"] = strconv.Itoa(p.Quality)
	}
	if p.Bitrate <= 0 {
		return
	}
	rate := int64(min(max(p.Bitrate, minBitrate), maxBitrate))
	if !crf {
		c.SetBitRate(rate)
		c.SetRateControlMinRate(rate)
	}
	c.SetRateControlMaxRate(rate)
	c.SetRateControlBufferSize(int(rate))
}

// setShape applies the H.264 profile, reordering and the key frame distance.
// Where the source's own times are kept, key frames are forced frame by frame
// instead (mediafile.Keys).
func setShape(c *astiav.CodecContext, s encoderSpec, options map[string]string) {
	switch s.profile.Profile {
	case core.ProfileBaseline:
		options["profile"] = "baseline"
		c.SetMaxBFrames(0)
	case core.ProfileConstrainedHigh:
		options["profile"] = "high"
		c.SetMaxBFrames(0)
	case core.ProfileMain:
		options["profile"] = "main"
		c.SetMaxBFrames(3)
	case core.ProfileHigh:
		options["profile"] = "high"
		c.SetMaxBFrames(3)
	}
	switch gop := s.profile.GOP; {
	case gop == core.GOPIntra:
		c.SetGopSize(1)
	case gop > 0 && !s.profile.FPS.Passthrough():
		num, den := s.profile.FPS.Norm()
		frames := mediafile.Rescale(int64(gop), mediafile.TimeBase{Num: 1, Den: 1e9}, mediafile.TimeBase{Num: den, Den: num})
		c.SetGopSize(int(min(max(frames, 1), 1<<20)))
	}
}

// header returns the stream headers that were kept out of the packets.
func (e *encoder) describe(to *astiav.CodecParameters) error {
	return failed(opEncode, to.FromCodecContext(e.c))
}

// encode gives a frame to the encoder, or nil at the end, and hands every packet
// that comes out to take, which owns it.
func (e *encoder) encode(f *astiav.Frame, take func(*astiav.Packet) error) error {
	if err := e.log.do(func() error { return e.c.SendFrame(f) }); err != nil {
		return deviceFailed(opEncode, err)
	}
	for {
		p := astiav.AllocPacket()
		if p == nil {
			return failed(opEncode, errENOMEM)
		}
		if err := e.log.do(func() error { return e.c.ReceivePacket(p) }); err != nil {
			p.Free()
			if errors.Is(err, astiav.ErrEagain) || errors.Is(err, astiav.ErrEof) {
				break
			}
			return deviceFailed(opEncode, err)
		}
		if e.reorders {
			e.held = append(e.held, p)
			continue
		}
		if err := take(p); err != nil {
			return err
		}
	}
	if f == nil && e.reorders {
		return e.letGo(take)
	}
	return nil
}

// letGo gives the packets that were held back their decode times.
func (e *encoder) letGo(take func(*astiav.Packet) error) error {
	pts := make([]int64, len(e.held))
	for i, p := range e.held {
		pts[i] = p.Pts()
	}
	for i, dts := range mediafile.DecodeTimes(pts) {
		p := e.held[i]
		e.held[i] = nil
		p.SetDts(dts)
		if err := take(p); err != nil {
			return err
		}
	}
	e.held = e.held[:0]
	return nil
}

// finish ends an encoder that was drained.
func (e *encoder) finish() {
	if e.keep != nil {
		e.keep(e)
		return
	}
	e.free()
}

func (e *encoder) free() {
	for _, p := range e.held {
		if p != nil {
			p.Free()
		}
	}
	e.held = nil
	e.c.Free()
	e.log.free()
}

func freeEncoders(all []*encoder) {
	for _, e := range all {
		e.free()
	}
}
