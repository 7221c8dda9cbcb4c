package clip

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/asticode/go-astiav"
)

// Options says what frame is generated. Zero values take the defaults named.
type Options struct {
	// Width and Height in pixels; 1280×720.
	Width, Height int
	// FPSNum/FPSDen is the frame rate; 30/1.
	FPSNum, FPSDen int
	// Segment is the playing time of one segment; 2 s.
	Segment time.Duration
	// Segments ends the stream after so many; 0 never ends.
	Segments int
	// Bitrate of the video in bits per second; 3 Mb/s.
	Bitrate int64
	// Noise adds film-like noise of this strength (0–100), so that the frame is
	// as hard to code as a filmed one.
	Noise int
	// Silent leaves the tone out.
	Silent bool
}

func (o Options) withDefaults() Options {
	if o.Width == 0 {
		o.Width, o.Height = 1280, 720
	}
	if o.FPSNum == 0 {
		o.FPSNum, o.FPSDen = 30, 1
	}
	if o.FPSDen == 0 {
		o.FPSDen = 1
	}
	if o.Segment == 0 {
		o.Segment = 2 * time.Second
	}
	if o.Bitrate == 0 {
		o.Bitrate = 3_000_000
	}
	return o
}

const (
	sampleRate = 48000
	// firstTick keeps every time of the stream above zero, also the decoding
	// times that the encoder places before the first frame.
	firstTick = 90000
)

// Generator is a Source of generated segments: H.264 and AAC.
type Generator struct {
	opt          Options
	video, audio *track
	number       int
	heldAudio    *astiav.Packet
}

var _ Source = (*Generator)(nil)

// Generate starts a generated stream.
func Generate(opt Options) (*Generator, error) {
	quiet()
	g := &Generator{opt: opt.withDefaults()}
	var err error
	if g.video, err = newVideoTrack(g.opt); err != nil {
		return nil, err
	}
	if !g.opt.Silent {
		if g.audio, err = newAudioTrack(); err != nil {
			g.Close()
			return nil, err
		}
	}
	return g, nil
}

// Next makes the next segment.
func (g *Generator) Next(ctx context.Context) (Segment, error) {
	if g.opt.Segments > 0 && g.number >= g.opt.Segments {
		return Segment{}, io.EOF
	}
	params, free := g.parameters()
	defer free()
	file, err := newTSFile(params)
	if err != nil {
		return Segment{}, err
	}
	first, end := g.frameAt(g.number), g.frameAt(g.number+1)
	if err := g.fill(ctx, file, first, end); err != nil {
		file.close()
		return Segment{}, err
	}
	data, err := file.finish()
	if err != nil {
		return Segment{}, err
	}
	s := Segment{
		Number:   g.number,
		Data:     data,
		Duration: playTime(g.tick(end) - g.tick(first)),
		Frames:   int(end - first),
	}
	g.number++
	return s, nil
}

// GenerateAll returns all segments of a stream, which Options.Segments has to bound.
func GenerateAll(ctx context.Context, opt Options) ([]Segment, error) {
	if opt.Segments <= 0 {
		return nil, errors.New("generate all segments of an endless stream")
	}
	g, err := Generate(opt)
	if err != nil {
		return nil, err
	}
	defer g.Close()
	var out []Segment
	for {
		s, err := g.Next(ctx)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
}

// frameAt returns the number of the first video frame of segment n.
func (g *Generator) frameAt(n int) int64 {
	per := int64(g.opt.Segment) * int64(g.opt.FPSNum) / int64(g.opt.FPSDen) / int64(time.Second)
	return int64(n) * max(per, 1)
}

// tick returns the presentation time of video frame n, in ticks.
func (g *Generator) tick(n int64) int64 {
	return firstTick + n*90000*int64(g.opt.FPSDen)/int64(g.opt.FPSNum)
}

// fill writes the video frames [first, end) and the audio that sounds with them.
func (g *Generator) fill(ctx context.Context, file *tsFile, first, end int64) error {
	for n := first; n < end; n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		at, next := g.tick(n), g.tick(n+1)
		p, err := g.video.next(at, n == first)
		if err != nil {
			return fmt.Errorf("generate frame %d: %w", n, err)
		}
		p.SetDuration(next - at)
		if err := file.write(p, 0, ticks()); err != nil {
			return fmt.Errorf("write frame %d: %w", n, err)
		}
		if g.audio == nil {
			continue
		}
		if err := g.soundUntil(file, next); err != nil {
			return err
		}
	}
	return nil
}

// soundUntil writes audio packets that start before the given tick and keeps the
// first later one for the next call.
func (g *Generator) soundUntil(file *tsFile, tick int64) error {
	for {
		if g.heldAudio == nil {
			p, err := g.audio.next(astiav.NoPtsValue, false)
			if err != nil {
				return fmt.Errorf("generate sound: %w", err)
			}
			p.RescaleTs(astiav.NewRational(1, sampleRate), ticks())
			p.SetPts(p.Pts() + firstTick)
			p.SetDts(p.Pts())
			g.heldAudio = p
		}
		if g.heldAudio.Pts() >= tick {
			return nil
		}
		p := g.heldAudio
		g.heldAudio = nil
		if err := file.write(p, 1, ticks()); err != nil {
			return fmt.Errorf("write sound: %w", err)
		}
	}
}

func (g *Generator) parameters() (params []*astiav.CodecParameters, free func()) {
	for _, t := range []*track{g.video, g.audio} {
		if t == nil {
			continue
		}
		p := astiav.AllocCodecParameters()
		if err := t.encoder.ToCodecParameters(p); err == nil {
			params = append(params, p)
		}
	}
	return params, func() {
		for _, p := range params {
			p.Free()
		}
	}
}

// Close frees the encoders and filters.
func (g *Generator) Close() {
	g.video.close()
	g.audio.close()
}

var errNoOutput = errors.New("encoder gave no packet")
