package libav

import (
	"context"
	"fmt"

	"github.com/asticode/go-astiav"
	"golang.org/x/sync/errgroup"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder/libav/mediafile"
)

// queued is how many decoded frames may wait for one rendition. Frames are
// large; a few are enough to keep the decoder and the encoders busy together.
const queued = 3

// maxProfiles is how many renditions one session may have.
const maxProfiles = 10

// evenPace is how far the two rates a container states may differ, as a part of
// one, in a source whose frames come at an even pace.
const evenPace = 0.001

// job is one segment in progress.
type job struct {
	engine  *Engine
	backend backend
	spec    *core.TranscodeJob
	threads int
	// audioAlone allows a segment without frames.
	audioAlone bool

	in  *input
	dec *decoder
	// rate is the source's frame rate for rate control; steady says that its
	// frames come at an even pace.
	rate   astiav.Rational
	steady bool

	stage      stage
	renditions []*rendition
}

// check refuses a job before any media is looked at. HEVC can only be made by a GPU.
func check(spec *core.TranscodeJob, hevc bool) error {
	const op = "check job"
	if len(spec.Profiles) == 0 {
		return fault.New(fault.TranscoderInvalidInput, op, "no renditions asked for")
	}
	if n := len(spec.Profiles); n > maxProfiles {
		return fault.New(fault.TooManyOutputs, op, fmt.Sprintf("%d asked for, %d allowed", n, maxProfiles))
	}
	for _, p := range spec.Profiles {
		switch {
		case p.Format != core.FormatMPEGTS && p.Format != core.FormatMP4:
			return fault.New(fault.TranscoderUnrecognizedFormat, op, fmt.Sprintf("format %d", p.Format))
		case p.Profile < core.ProfileDefault || p.Profile > core.ProfileConstrainedHigh:
			return fault.New(fault.TranscoderUnrecognizedProfile, op, fmt.Sprintf("profile %d", p.Profile))
		case p.GOP < core.GOPIntra:
			return fault.New(fault.TranscoderInvalidGOP, op, fmt.Sprintf("interval %d", p.GOP))
		case p.Width <= 0 && p.Height <= 0:
			return fault.New(fault.TranscoderInvalidResolution, op, p.Resolution())
		case p.Encoder != core.CodecH264 && !(hevc && p.Encoder == core.CodecHEVC):
			return fault.New(fault.EncoderNotFound, op, fmt.Sprintf("codec %d", p.Encoder))
		}
	}
	if c := spec.Clip; c != nil && (c.From < 0 || c.To < 0 || c.To > 0 && c.To < c.From) {
		return fault.New(fault.TranscoderInvalidClipConfig, op, fmt.Sprintf("from %s to %s", c.From, c.To))
	}
	return nil
}

// run does the whole segment.
func (j *job) run(ctx context.Context) (*core.TranscodeResult, error) {
	defer j.close()
	if err := j.open(); err != nil {
		return nil, err
	}
	work, ctx := errgroup.WithContext(ctx)
	for slot, p := range j.spec.Profiles {
		j.renditions = append(j.renditions, newRendition(j, slot, p))
	}
	for _, r := range j.renditions {
		work.Go(func() error { return r.run(ctx) })
	}
	work.Go(func() error { return j.decode(ctx) })
	if err := work.Wait(); err != nil {
		return nil, err
	}
	return j.result(), nil
}

func (j *job) open() error {
	var err error
	if j.in, err = openInput(mediafile.LateSEI(mediafile.ClockJumps(mediafile.PrependPSI(j.spec.Input)))); err != nil {
		return err
	}
	if err = j.in.checkDuration(); err != nil {
		return err
	}
	if j.in.video == nil && !j.audioAlone {
		return noVideo()
	}
	if j.in.video == nil && j.in.audio == nil {
		return fault.New(fault.InvalidData, "open segment", "neither video nor audio")
	}
	if err = j.in.checkAudio(j.spec.Profiles); err != nil {
		return err
	}
	j.dec, err = j.backend.decoder(j.in, j.threads)
	if err != nil || j.in.video == nil {
		return err
	}
	if j.rate = j.in.frameRate(); j.rate.Num() == 0 {
		j.rate = astiav.NewRational(30, 1)
	} else {
		average, lowest := j.in.video.AvgFrameRate().Float64(), j.in.video.RFrameRate().Float64()
		j.steady = average > lowest*(1-evenPace) && average < lowest*(1+evenPace)
	}
	return nil
}

func noVideo() error {
	return fault.New(fault.TranscoderInvalidVideo, "open segment", "the session's first segment has no video")
}

// decode feeds the renditions until the segment ends, then lets them finish.
func (j *job) decode(ctx context.Context) error {
	if err := j.dec.run(ctx, func(p decodedFrame) error { return j.spread(ctx, p) }); err != nil {
		return err
	}
	if err := j.dec.verdict(); err != nil {
		return err
	}
	if j.dec.frames == 0 && !j.audioAlone {
		return noVideo()
	}
	for _, r := range j.renditions {
		close(r.in)
	}
	return nil
}

// spread gives every rendition its own reference to a frame, or to the one that
// the stage has made of it.
func (j *job) spread(ctx context.Context, p decodedFrame) error {
	p, err := j.backend.place(p)
	defer p.frame.Free()
	if err != nil {
		return err
	}
	var shared *astiav.Frame
	j.stage.fit(p.info, j.spec.Profiles, j.rate.Float64(), func(width, height int) scaling {
		return j.backend.scaler(stageSlot, width, height, j.threads)
	})
	if j.stage.users != nil {
		if shared, err = j.stage.frame(p.frame); err != nil {
			return err
		}
		defer shared.Free()
	}
	for i, r := range j.renditions {
		from := p.frame
		if shared != nil && j.stage.users[i] {
			from = shared
		}
		own := p
		if own.frame = from.Clone(); own.frame == nil {
			return failed(opDecode, errENOMEM)
		}
		select {
		case r.in <- own:
		case <-ctx.Done():
			own.frame.Free()
			return failed(opDecode, context.Cause(ctx))
		}
	}
	return nil
}

func (j *job) result() *core.TranscodeResult {
	result := &core.TranscodeResult{
		Renditions:     make([]core.Rendition, 0, len(j.renditions)),
		DecodedFrames:  j.dec.frames,
		DecodedPixels:  j.dec.pixels,
		SourceDuration: j.in.duration(),
	}
	for _, r := range j.renditions {
		result.Renditions = append(result.Renditions, r.out)
	}
	return result
}

// audioFor returns the audio of a rendition: the source's packets as they are,
// or those that a clip keeps.
func (j *job) audioFor(r *rendition) audioTrack {
	track := audioTrack{packets: j.dec.audio}
	c := j.spec.Clip
	if c == nil || len(track.packets) == 0 {
		return track
	}
	b := base(j.in.audio)
	w := mediafile.Window{From: b.Ticks(int64(c.From)), To: b.Ticks(int64(c.To))}
	track.shift = mediafile.Rescale(r.shift, r.base, b)
	first := track.packets[0].Pts()
	videoBegin := mediafile.Rescale(r.file.begin, r.base, b)
	track.packets = nil
	for _, p := range j.dec.audio {
		t := p.Pts()
		if t == mediafile.NoTime || !w.Keeps(t, first) || r.file.hasVideo && t-track.shift < videoBegin {
			continue
		}
		track.packets = append(track.packets, p)
	}
	return track
}

func (j *job) close() {
	for _, r := range j.renditions {
		r.close()
	}
	j.stage.close()
	if j.dec != nil {
		j.dec.close()
	}
	if j.in != nil {
		j.in.close()
	}
}
