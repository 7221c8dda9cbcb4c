package clip

import (
	"errors"
	"fmt"

	"github.com/asticode/go-astiav"
)

// track is one generated elementary stream: a source filter and an encoder.
type track struct {
	graph   *astiav.FilterGraph
	sink    *astiav.BuffersinkFilterContext
	codec   *astiav.Codec
	encoder *astiav.CodecContext
	frame   *astiav.Frame
	packet  *astiav.Packet
	samples int64
}

func newVideoTrack(o Options) (*track, error) {
	desc := fmt.Sprintf("testsrc2=size=%dx%d:rate=%d/%d", o.Width, o.Height, o.FPSNum, o.FPSDen)
	if enlarge := o.Height / 240; enlarge > 1 {
		// The frame's own time code is 100×36 pixels whatever its size: show
		// it again, large enough to be read in the smallest rendition.
		desc += fmt.Sprintf(",split[picture][code];[code]crop=100:36:2:2,scale=%d*iw:%d*ih:flags=neighbor[large];"+
			"[picture][large]overlay=x=(W-w)/2:y=H-h-H/12", enlarge, enlarge)
	}
	if o.Noise > 0 {
		desc += fmt.Sprintf(",noise=alls=%d:allf=t", o.Noise)
	}
	t, err := newTrack(desc+",format=yuv420p", "buffersink", "libx264")
	if err != nil {
		return nil, err
	}
	e := t.encoder
	e.SetWidth(o.Width)
	e.SetHeight(o.Height)
	e.SetPixelFormat(astiav.PixelFormatYuv420P)
	e.SetSampleAspectRatio(astiav.NewRational(1, 1))
	e.SetTimeBase(ticks())
	e.SetFramerate(astiav.NewRational(o.FPSNum, o.FPSDen))
	e.SetBitRate(o.Bitrate)
	e.SetRateControlMaxRate(o.Bitrate * 3 / 2)
	e.SetRateControlBufferSize(int(o.Bitrate))
	e.SetGopSize(1 << 20)
	// One frame in, one packet out: segments can be cut without a queue.
	opts := astiav.NewDictionary()
	defer opts.Free()
	for k, v := range map[string]string{"preset": "ultrafast", "tune": "zerolatency", "forced-idr": "1",
		"profile": "main"} {
		if err := opts.Set(k, v, astiav.NewDictionaryFlags()); err != nil {
			t.close()
			return nil, err
		}
	}
	return t.open(opts)
}

func newAudioTrack() (*track, error) {
	desc := fmt.Sprintf("sine=frequency=440:beep_factor=2:sample_rate=%d,"+
		"aformat=sample_fmts=fltp:channel_layouts=stereo,asetnsamples=n=1024", sampleRate)
	t, err := newTrack(desc, "abuffersink", "aac")
	if err != nil {
		return nil, err
	}
	e := t.encoder
	e.SetSampleFormat(astiav.SampleFormatFltp)
	e.SetSampleRate(sampleRate)
	e.SetChannelLayout(astiav.ChannelLayoutStereo)
	e.SetTimeBase(astiav.NewRational(1, sampleRate))
	e.SetBitRate(128_000)
	return t.open(nil)
}

var errNotBuilt = errors.New("is not in this build of libav")

func newTrack(desc, sinkName, encoder string) (*track, error) {
	t := &track{frame: astiav.AllocFrame(), packet: astiav.AllocPacket(), graph: astiav.AllocFilterGraph()}
	codec := astiav.FindEncoderByName(encoder)
	if codec == nil {
		t.close()
		return nil, fmt.Errorf("encoder %s %w", encoder, errNotBuilt)
	}
	t.codec, t.encoder = codec, astiav.AllocCodecContext(codec)
	sinkFilter := astiav.FindFilterByName(sinkName)
	if sinkFilter == nil {
		t.close()
		return nil, fmt.Errorf("filter %s %w", sinkName, errNotBuilt)
	}
	var err error
	if t.sink, err = t.graph.NewBuffersinkFilterContext(sinkFilter, "out"); err != nil {
		t.close()
		return nil, fmt.Errorf("make %s: %w", sinkName, err)
	}
	inputs := astiav.AllocFilterInOut()
	defer inputs.Free()
	inputs.SetName("out")
	inputs.SetFilterContext(t.sink.FilterContext())
	inputs.SetPadIdx(0)
	inputs.SetNext(nil)
	if err := t.graph.Parse(desc, inputs, nil); err != nil {
		t.close()
		return nil, fmt.Errorf("parse %q: %w", desc, err)
	}
	if err := t.graph.Configure(); err != nil {
		t.close()
		return nil, fmt.Errorf("configure %q: %w", desc, err)
	}
	return t, nil
}

func (t *track) open(opts *astiav.Dictionary) (*track, error) {
	if err := t.encoder.Open(t.codec, opts); err != nil {
		t.close()
		return nil, fmt.Errorf("open encoder: %w", err)
	}
	return t, nil
}

// next encodes one more frame at the given tick, or one more block of sound
// when at is NoPtsValue, and returns the next packet. It stays the track's: it is
// valid until the following call.
func (t *track) next(at int64, key bool) (*astiav.Packet, error) {
	t.packet.Unref()
	for range 64 {
		if err := t.sink.GetFrame(t.frame, astiav.NewBuffersinkFlags()); err != nil {
			return nil, err
		}
		if at == astiav.NoPtsValue {
			t.frame.SetPts(t.samples)
			t.samples += int64(t.frame.NbSamples())
		} else {
			t.frame.SetPts(at)
			t.frame.SetPictureType(astiav.PictureTypeNone)
			if key {
				t.frame.SetPictureType(astiav.PictureTypeI)
			}
		}
		err := t.encoder.SendFrame(t.frame)
		t.frame.Unref()
		if err != nil {
			return nil, err
		}
		switch err := t.encoder.ReceivePacket(t.packet); {
		case err == nil:
			return t.packet, nil
		case !errors.Is(err, astiav.ErrEagain):
			return nil, err
		}
	}
	return nil, errNoOutput
}

func (t *track) close() {
	if t == nil {
		return
	}
	if t.packet != nil {
		t.packet.Free()
	}
	if t.frame != nil {
		t.frame.Free()
	}
	if t.encoder != nil {
		t.encoder.Free()
	}
	if t.graph != nil {
		t.graph.Free()
	}
	*t = track{}
}
