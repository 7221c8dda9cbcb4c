package libav_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/test/coretest"
	"github.com/tuttinode/tutti/test/gpu/card"
)

// limited is an engine whose segments have to be done in time.
type limited struct{ *cardEngine }

// Transcode gives up on a driver that hangs.
func (e limited) Transcode(ctx context.Context, j *core.TranscodeJob) (*core.TranscodeResult, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return e.cardEngine.Transcode(ctx, j)
}

// TestCardContract: what core.Transcoder promises holds for an engine on the GPU.
func TestCardContract(t *testing.T) {
	c := card.Load(t)
	notHung(t)
	clips := coretest.Clips{Bad: []byte("this is no media at all")}
	for _, data := range gpuClips(t, 3) {
		clips.Good = append(clips.Good, coretest.Clip{Data: data, Duration: 2 * time.Second})
	}
	ok := t.Run("suite", func(t *testing.T) {
		coretest.EngineContract(t, func(t testing.TB) coretest.Engine { return limited{onCard(t, c)} }, clips)
	})
	seen := "kept"
	if !ok {
		seen = "broken; the log of the test names the parts"
	}
	card.CheckThat(t, ok, "the contract of core.Transcoder", "kept", seen, "")
}

// frameBytes is what a frame of 4:2:0 takes.
func frameBytes(p core.Profile) int64 { return int64(p.Width) * int64(p.Height) * 3 / 2 }

// TestCardKeepsItsCodecs: a session creates its decoder and its encoders once, and
// frames leave the GPU only where the CPU encodes them.
func TestCardKeepsItsCodecs(t *testing.T) {
	c := card.Load(t)
	p := newPair(t, c)
	clips := gpuClips(t, 4)
	profiles := gpuLadder()
	order := []int{0, 1, 2, 3, 1, 0, 3}
	segment := func(i int) *core.TranscodeJob {
		j := in("kept", clips[order[i]], profiles...)
		j.Number = core.SegmentNumber(i)
		return j
	}
	first, counted := spent(t, c, func() { p.frames(t, "segment 0", segment(0)) })
	var frames int64
	rest, _ := spent(t, c, func() {
		for i := 1; i < len(order); i++ {
			if r := p.frames(t, fmt.Sprintf("segment %d", i), segment(i)); r.card != nil {
				frames += int64(r.card.DecodedFrames)
			}
		}
	})
	if !counted {
		card.SkipCheck(t, "decoders, encoders and bytes of a session",
			"the process was started without the counting library")
		return
	}
	encoders := int64(len(profiles))
	if _, none := p.card.NoEncoder(); none {
		encoders = 0
	}
	card.CheckThat(t, first.DecodersCreated == 1 && first.EncodersOpened == encoders, "created for the first segment",
		fmt.Sprintf("1 decoder, %d encoders", encoders), fmt.Sprintf("%d decoders, %d encoders", first.DecodersCreated,
			first.EncodersOpened), "")
	card.CheckThat(t, rest.DecodersCreated == 0 && rest.EncodersOpened == 0, "created for six more segments", "nothing",
		fmt.Sprintf("%d decoders, %d encoders", rest.DecodersCreated, rest.EncodersOpened), "")
	card.CheckThat(t, rest.PicturesDecoded >= frames && rest.PicturesDecoded <= frames*11/10, "frames decoded",
		fmt.Sprintf("%d, and up to a tenth more", frames),
		fmt.Sprint(rest.PicturesDecoded), "")
	card.CheckThat(t, rest.Kernels >= frames, "kernels for scaling", fmt.Sprintf("%d or more", frames),
		fmt.Sprint(rest.Kernels), "")
	if encoders > 0 {
		card.CheckThat(t, rest.PicturesEncoded == frames*encoders, "frames encoded", fmt.Sprint(frames*encoders),
			fmt.Sprint(rest.PicturesEncoded), "")
	}
	copied(t, rest, frames, encoders > 0, profiles)
	p.card.EndSession("kept")
	ended, _ := spent(t, c, func() { p.frames(t, "after the end of the session", segment(0)) })
	card.CheckThat(t, ended.DecodersCreated == 1 && ended.EncodersOpened == encoders,
		"created for the session's next life",
		fmt.Sprintf("1 decoder, %d encoders", encoders), fmt.Sprintf("%d decoders, %d encoders", ended.DecodersCreated,
			ended.EncodersOpened), "")
}

// copied checks the bytes between host and GPU per decoded frame.
func copied(t *testing.T, c card.Counts, frames int64, encodes bool, profiles []core.Profile) {
	t.Helper()
	if frames == 0 {
		card.CheckThat(t, false, "frames of the session", "some", "none", "")
		return
	}
	const small = 4096 // parameters, and what drivers do for themselves
	up, down := c.UploadedBytes/frames, c.DownloadedBytes/frames
	card.CheckThat(t, up <= small, "uploaded per frame", fmt.Sprintf("at most %d bytes", small),
		fmt.Sprintf("%d bytes", up),
		fmt.Sprintf("%d B", up))
	if encodes {
		card.CheckThat(t, down <= small, "downloaded per frame", fmt.Sprintf("at most %d bytes", small),
			fmt.Sprintf("%d bytes", down), fmt.Sprintf("%d B", down))
		return
	}
	var want int64
	for _, p := range profiles {
		want += frameBytes(p)
	}
	card.CheckThat(t, down >= want && down <= want*11/10, "downloaded per frame",
		fmt.Sprintf("the renditions' %d bytes, and up to a tenth more", want),
		fmt.Sprintf("%d bytes", down), fmt.Sprintf("%d B", down))
}

// TestCardChanges: resolution, codec, container and format change between segments of
// a session, and the resolution inside of one.
func TestCardChanges(t *testing.T) {
	p := newPair(t, card.Load(t))
	ts := " -muxdelay 0 -muxpreload 0 -output_ts_offset 20"
	for i, s := range []struct {
		name string
		clip []byte
		// reinit starts the session again.
		reinit bool
		// turns says that the size changes inside, so that frames are not compared.
		turns bool
	}{
		{name: "384x216", clip: gpuClips(t, 1)[0]},
		{name: "tall", clip: makeClip(t, ".ts", moving("180x320")+" "+x264+ts)},
		{name: "in MP4", clip: makeClip(t, ".mp4", moving("320x180")+" "+x264)},
		{name: "turning twice", clip: rotating(t), turns: true},
		{name: "tall again", clip: makeClip(t, ".ts", moving("180x320")+" "+x264+ts)},
		{name: "in HEVC", clip: stored(t, "card/hevc.ts")},
		{name: "in VP9", clip: stored(t, "card/vp9.webm")},
		{name: "in MPEG-2", clip: makeClip(t, ".ts", moving("320x192")+" -c:v mpeg2video -b:v 3M -threads 1"+ts)},
		{name: "in H.264 again", clip: gpuClips(t, 2)[1]},
		{name: "started again", clip: gpuClips(t, 1)[0], reinit: true},
		{name: "of 10 bits", clip: makeClip(t, ".ts",
			moving("320x180")+" -c:v libx264 -preset ultrafast -threads 1 -pix_fmt yuv420p10le"+ts)},
		{name: "of 8 bits again", clip: gpuClips(t, 2)[1], reinit: true},
	} {
		j := in("changing", s.clip, second()...)
		j.Number, j.Reinit = core.SegmentNumber(i), s.reinit
		r := p.frames(t, s.name, j)
		if !s.turns {
			p.pictures(t, s.name, j, r)
		}
		if r.card != nil {
			decodedWhere(t, s.name, r)
		}
	}
}

// TestCardAudio: audio goes past the GPU, packet by packet.
func TestCardAudio(t *testing.T) {
	p := newPair(t, card.Load(t))
	for _, s := range []struct{ name, ext, audio string }{
		{"AAC in MPEG-TS", ".ts", aac}, {"AAC in MP4", ".mp4", aac}, {"MPEG audio", ".ts", "-c:a mp2"},
		{"AC-3", ".ts", "-c:a ac3"},
	} {
		clip := makeClip(t, s.ext, moving("320x180")+" "+tone(0.8)+" "+x264+" "+s.audio)
		profiles := append(second(), core.Profile{Name: "MP4", Width: 192, Height: 108, Bitrate: 1_500_000,
			Format: core.FormatMP4})
		r := p.frames(t, s.name, in(s.name, clip, profiles...))
		if r.card == nil {
			continue
		}
		source := sums(verify(t, clip))
		for k, out := range r.card.Renditions {
			got := sums(verify(t, out.Data))
			card.CheckThat(t, len(source) > 0 && slices.Equal(got, source),
				fmt.Sprintf("%s, rendition %s: audio against the source's", s.name, profiles[k].Name),
				fmt.Sprintf("%d packets, bit by bit", len(source)), fmt.Sprintf("%d packets", len(got)), "")
		}
	}
}
