package libav_test

import (
	"errors"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// An effect changes the pictures and nothing else: size, times and frames are the source's.
func TestEffects(t *testing.T) {
	e, source := engine(t), segment(t)
	before := verify(t, source)
	seen := map[string]string{}
	for _, effect := range []core.Effect{core.EffectPlain, core.EffectEdges, core.EffectGray, core.EffectNegative} {
		job := &core.TranscodeJob{
			Session: "effects", Input: source, Duration: 2 * time.Second, Effect: effect,
			Profiles: []core.Profile{{Name: "out", Width: 160, Height: 90, Bitrate: 500_000}},
		}
		got, err := e.Transcode(t.Context(), job)
		if err != nil {
			t.Fatal(effect, err)
		}
		out := verify(t, got.Renditions[0].Data)
		if len(out.Video.Frames) != len(before.Video.Frames) || out.Video.Frames[0].Width != 160 {
			t.Errorf("%s: %d frames of %d, %d wide", effect, len(out.Video.Frames), len(before.Video.Frames),
				out.Video.Frames[0].Width)
		}
		if same := seen[string(got.Renditions[0].Data)]; same != "" {
			t.Errorf("%s looks like %s", effect, same)
		}
		seen[string(got.Renditions[0].Data)] = effect.String()
	}
}

func TestUnknownEffect(t *testing.T) {
	_, err := engine(t).Transcode(t.Context(), &core.TranscodeJob{
		Session: "effects", Input: segment(t), Duration: 2 * time.Second, Effect: 99,
		Profiles: []core.Profile{{Name: "out", Width: 160, Height: 90}},
	})
	if !errors.Is(err, fault.TranscoderInvalidInput) {
		t.Error(err)
	}
}
