package libav_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder/libav"
)

func refuses(t *testing.T, e *libav.Engine, j *core.TranscodeJob, code fault.Code) {
	t.Helper()
	r, err := e.Transcode(context.Background(), j)
	if !errors.Is(err, code) {
		t.Errorf("got %v, want %s", err, code)
	}
	if r != nil {
		t.Error("a result with an error")
	}
}

func soundOnly(t testing.TB) []byte { return makeClip(t, ".ts", tone(2.5)+" "+aac) }

func TestRefusedMedia(t *testing.T) {
	t.Parallel()
	noise := make([]byte, 100_000)
	src := rand.New(rand.NewPCG(1, 2))
	for i := range noise {
		noise[i] = byte(src.Uint32())
	}
	runaway := makeClip(t, ".ts", pattern("160x90", "1/10", 50)+" "+x264)
	tests := []struct {
		name   string
		data   []byte
		change func(*core.Profile)
		code   fault.Code
	}{
		{"no bytes", nil, nil, fault.EmptyData},
		{"noise", noise, nil, fault.InvalidData},
		{"zeros", make([]byte, 10_000), nil, fault.InvalidData},
		{"text", []byte("#EXTM3U\n#EXT-X-TARGETDURATION:2\nfile:///etc/passwd\n"), nil, fault.InvalidData},
		{"a list of files", []byte("ffconcat version 1.0\nfile /etc/passwd\n"), nil, fault.DemuxerNotFound},
		{"no key frame", makeClip(t, ".ts", pattern("160x90", 30, 2)+" "+x264+" -g 60 -bsf:v noise=drop=key"), nil,
			fault.NoKeyframes},
		{"first segment without video", soundOnly(t), nil, fault.TranscoderInvalidVideo},
		{"frames 10 s apart at 5 fps", runaway, fps(5, 1), fault.EncodedFramesRunaway},
		{"longer than 300 s", makeClip(t, ".ts", pattern("64x64", "1/10", 320)+" "+x264), nil,
			fault.TranscoderInvalidDuration},
		{"longer than 300 s in fragments", makeClip(t, ".mp4", pattern("64x64", "1/10", 320)+" "+x264+
			" -movflags frag_every_frame+empty_moov"), nil, fault.TranscoderInvalidDuration},
		{"longer than 300 s in fragments without an index", makeClip(t, ".mp4", pattern("64x64", "1/10", 320)+" "+x264+
			" -movflags frag_every_frame+empty_moov+skip_trailer"), nil, fault.TranscoderInvalidDuration},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := engine(t)
			refuses(t, e, job(tt.data, small("x", tt.change)), tt.code)
			// The engine is as good as before.
			run(t, e, job(segment(t), small("x", nil)))
		})
	}
}

func TestRefusedJobs(t *testing.T) {
	t.Parallel()
	e := engine(t)
	tests := []struct {
		name   string
		change func(*core.TranscodeJob)
		code   fault.Code
	}{
		{"no profiles", func(j *core.TranscodeJob) { j.Profiles = nil }, fault.TranscoderInvalidInput},
		{"eleven profiles", func(j *core.TranscodeJob) { j.Profiles = make([]core.Profile, 11) }, fault.TooManyOutputs},
		{"format", func(j *core.TranscodeJob) { j.Profiles[0].Format = 7 }, fault.TranscoderUnrecognizedFormat},
		{"profile", func(j *core.TranscodeJob) { j.Profiles[0].Profile = 9 }, fault.TranscoderUnrecognizedProfile},
		{"gop", func(j *core.TranscodeJob) { j.Profiles[0].GOP = -2 }, fault.TranscoderInvalidGOP},
		{"size", func(j *core.TranscodeJob) { j.Profiles[0].Width, j.Profiles[0].Height = 0, 0 },
			fault.TranscoderInvalidResolution},
		{"codec", func(j *core.TranscodeJob) { j.Profiles[0].Encoder = core.CodecHEVC }, fault.EncoderNotFound},
		{"clip from below 0", func(j *core.TranscodeJob) { j.Clip = &core.Clip{From: -1} },
			fault.TranscoderInvalidClipConfig},
		{"clip backward", func(j *core.TranscodeJob) { j.Clip = &core.Clip{From: 2e9, To: 1e9} },
			fault.TranscoderInvalidClipConfig},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			j := job(segment(t), small("x", nil))
			tt.change(j)
			refuses(t, e, j, tt.code)
		})
	}
}

func TestSoundAlone(t *testing.T) {
	t.Parallel()
	e := engine(t)
	run(t, e, job(segment(t), small("x", nil)))
	for _, format := range []core.Format{core.FormatMPEGTS, core.FormatMP4} {
		got := run(t, e, job(soundOnly(t), small("x", func(p *core.Profile) { p.Format = format })))
		out := verify(t, got.Renditions[0].Data)
		if got.Renditions[0].Frames != 0 || got.Renditions[0].Pixels != 0 || got.DecodedFrames != 0 {
			t.Errorf("%d frames, %d pixels counted", got.Renditions[0].Frames, got.Renditions[0].Pixels)
		}
		if out.Video != nil || out.Audio == nil || len(sums(out)) != len(sums(verify(t, soundOnly(t)))) {
			t.Errorf("%s: not the sound alone", format.Ext())
		}
	}
	// A new start asks for video again.
	j := job(soundOnly(t), small("x", nil))
	j.Reinit = true
	refuses(t, e, j, fault.TranscoderInvalidVideo)
	// So does a session that failed, and one that ended.
	run(t, e, job(segment(t), small("x", nil)))
	refuses(t, e, job([]byte("no media"), small("x", nil)), fault.InvalidData)
	refuses(t, e, job(soundOnly(t), small("x", nil)), fault.TranscoderInvalidVideo)
	run(t, e, job(segment(t), small("x", nil)))
	e.EndSession("s")
	refuses(t, e, job(soundOnly(t), small("x", nil)), fault.TranscoderInvalidVideo)
}

// Cut anywhere, a segment gives renditions or a fault, and never anything else.
func TestTruncated(t *testing.T) {
	t.Parallel()
	for _, ext := range []string{".ts", ".mp4"} {
		source := makeClip(t, ext, pattern("160x90", 30, 1)+" "+tone(1)+" "+x264+" -g 10 "+aac)
		e := engine(t)
		cuts := 0
		for n := 1000; n < len(source); n += max(1000, len(source)/40) {
			cuts++
			j := job(source[:n:n], small("x", nil))
			j.Reinit = true
			got, err := e.Transcode(context.Background(), j)
			if err == nil {
				v := verify(t, got.Renditions[0].Data)
				if v.Video == nil || int(got.Renditions[0].Frames) != len(v.Video.Frames) {
					t.Errorf("%s cut at %d: counts differ", ext, n)
				}
				continue
			}
			if fault.CodeOf(err) == fault.Unexpected {
				t.Errorf("%s cut at %d: %v", ext, n, err)
			}
		}
		if cuts == 0 {
			t.Error("nothing was cut")
		}
	}
}

func TestCanceled(t *testing.T) {
	t.Parallel()
	e := engine(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := e.Transcode(ctx, job(segment(t), small("x", nil))); !errors.Is(err, fault.TranscoderStopped) {
		t.Errorf("got %v", err)
	}
	run(t, e, job(segment(t), small("x", nil)))
}
