package libav_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/gpu/card"
)

// TestCardEncoder: the engine finds out whether the GPU encodes, agrees with what is
// known of it, and can count its encoder sessions.
func TestCardEncoder(t *testing.T) {
	c := card.Load(t)
	e := onCard(t, c)
	said, none := e.NoEncoder()
	seen := "an encoder"
	if none {
		seen = "no encoder: " + said
	}
	expected := "no encoder"
	if c.Encodes {
		expected = "an encoder"
	}
	card.CheckThat(t, none != c.Encodes, "the engine finds on "+c.Name, expected, seen, "")
	card.CheckThat(t, e.Kind() == "nvidia", "kind of the device", "nvidia", e.Kind(), "")
	atMost := 8
	if card.Full() {
		atMost = 40
	}
	type count struct {
		n   int
		err error
	}
	sessions := inTime(t, "count encoder sessions", func(ctx context.Context) count {
		n, err := e.EncoderLimit(ctx, atMost)
		return count{n, err}
	})
	what := fmt.Sprintf("encoder sessions, at most %d tried", atMost)
	if errors.Is(sessions.err, fault.GPUOutOfMemory) {
		card.RecordCheck(t, what+": why not more", sessions.err.Error(), "")
	} else {
		card.NoError(t, sessions.err, what+": counted", "")
	}
	if none {
		card.CheckThat(t, sessions.n == 0, what, "0 on a GPU without encoder", fmt.Sprint(sessions.n), "")
		return
	}
	card.CheckThat(t, sessions.n >= 1, what, "1 or more", fmt.Sprint(sessions.n), fmt.Sprintf("%d sessions", sessions.n))
}

// TestCardForms: H.264 is encoded on the GPU if it has an encoder, and by the CPU from
// frames that the GPU decoded and scaled if not.
func TestCardForms(t *testing.T) {
	c := card.Load(t)
	p := newPair(t, c)
	_, none := p.card.NoEncoder()
	var r compared
	n, counted := spent(t, c, func() { r = p.same(t, "the segment", in("forms", gpuClips(t, 1)[0], second()...)) })
	if r.card == nil {
		return
	}
	card.CheckThat(t, r.lost == "", "parts of the work that went to the CPU",
		"none beyond those of a GPU without encoder",
		orElse(reason(r.lost), "none"), "")
	if !counted {
		card.SkipCheck(t, "decoded, scaled and encoded where", "the process was started without the counting library")
		return
	}
	frames := int64(r.card.DecodedFrames)
	card.CheckThat(t, n.PicturesDecoded >= frames, "frames that the GPU decoded", fmt.Sprintf("%d or more", frames),
		fmt.Sprint(n.PicturesDecoded), "")
	card.CheckThat(t, n.Kernels >= frames, "kernels for scaling", fmt.Sprintf("%d or more", frames), fmt.Sprint(n.Kernels),
		"")
	if none {
		card.CheckThat(t, n.EncodersOpened == 0 && n.PicturesEncoded == 0, "frames that the GPU encoded", "none",
			fmt.Sprint(n.PicturesEncoded), "")
		return
	}
	card.CheckThat(t, n.PicturesEncoded == 2*frames, "frames that the GPU encoded", fmt.Sprint(2*frames),
		fmt.Sprint(n.PicturesEncoded), "")
}

// TestCardHEVC: renditions in HEVC are made by the GPU's encoder, with the frames of the
// source, or refused by name.
func TestCardHEVC(t *testing.T) {
	c := card.Load(t)
	e := onCard(t, c)
	cpu := engine(t)
	clip := gpuClips(t, 1)[0]
	for _, format := range []core.Format{core.FormatMPEGTS, core.FormatMP4} {
		profile := core.Profile{Name: "HEVC", Width: 320, Height: 180, Bitrate: 3_000_000, Format: format,
			Encoder: core.CodecHEVC}
		plain := profile
		plain.Encoder = core.CodecH264
		what := "HEVC in " + format.Ext()
		r, err := e.transcode(t, in(what, clip, profile))
		_, none := e.NoEncoder()
		if none || errors.Is(err, fault.EncoderNotFound) {
			card.CheckThat(t, errors.Is(err, fault.EncoderNotFound), what, fault.EncoderNotFound.Error(), fmt.Sprint(err),
				"")
			continue
		}
		if !card.NoError(t, err, what, "") {
			continue
		}
		want, err := cpu.Transcode(t.Context(), in(what, clip, plain))
		if err != nil {
			t.Fatal(err)
		}
		got := r.Renditions[0]
		card.CheckThat(t, verify(t, got.Data).Video.Codec == "hevc", what+": codec", "hevc",
			verify(t, got.Data).Video.Codec, "")
		if sameFrames(t, what+": ", got, want.Renditions[0]) {
			near(t, what+": frames compared with H.264 of the CPU", got.Data, want.Renditions[0].Data, leastDB)
		}
	}
	r, err := e.transcode(t, in("beside", clip, second()...))
	if card.NoError(t, err, "H.264 after HEVC", "") {
		card.CheckThat(t, len(r.Renditions) == 2, "renditions in H.264", "2", fmt.Sprint(len(r.Renditions)), "")
	}
}
