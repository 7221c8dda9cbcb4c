package libav_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/gpu/card"
	"github.com/tuttinode/tutti/transcoder/libav"
)

// broken is an input that is not as it was sent.
type broken struct {
	name string
	data []byte
}

// damaged changes one byte in so many, none of the containers' packet headers.
func damaged(clip []byte, seed uint64, every int) []byte {
	const packet, header = 188, 12
	out, random := bytes.Clone(clip), rand.New(rand.NewPCG(seed, 1))
	for at := 10 * packet; at < len(out); at += 1 + random.IntN(2*every) {
		if at%packet >= header {
			out[at] ^= byte(1 + random.IntN(255))
		}
	}
	return out
}

// without takes whole packets of the transport stream away.
func without(clip []byte, from, to int) []byte {
	const packet = 188
	return bytes.Join([][]byte{clip[:from*packet], clip[to*packet:]}, nil)
}

func brokenInputs(t *testing.T, clip []byte) []broken {
	noise := make([]byte, 60_000)
	random := rand.New(rand.NewPCG(7, 7))
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	all := []broken{
		{"no bytes", nil}, {"noise", noise}, {"text", []byte("this is no media at all")},
		{"zeros", make([]byte, 10_000)},
		{"audio alone", soundOnly(t)},
		{"cut in the middle", clip[:len(clip)/2]}, {"cut after a third, inside a packet", clip[:len(clip)/3|1]},
		{"only its beginning", clip[:188*12]},
		{"without its beginning", clip[len(clip)/2/188*188:]},
		{"one packet lost", without(clip, 60, 61)}, {"twenty packets lost", without(clip, 60, 80)},
		{"no key frame", makeClip(t, ".ts", pattern("320x180", 30, 1)+" "+x264+" -g 60 -bsf:v noise=drop=key")},
	}
	seeds := []uint64{1}
	if card.Full() {
		seeds = []uint64{1, 2, 3, 4, 5, 6, 7, 8}
	}
	for _, seed := range seeds {
		for _, every := range []int{20_000, 4000, 1000, 200} {
			all = append(all, broken{fmt.Sprintf("one byte in %d damaged, %d", every, seed),
				damaged(clip, seed, every)})
		}
	}
	return all
}

// TestCardBrokenInput: what the CPU makes something of is delivered with the GPU, too,
// what it refuses is refused in the same way, and the next segment is as if nothing
// had happened.
func TestCardBrokenInput(t *testing.T) {
	end := card.Deadline(t, 2*time.Minute)
	c := card.Load(t)
	p := newPair(t, c)
	clip := makeClip(t, ".ts",
		pattern("320x180", 30, 1)+" "+tone(1)+" -c:v libx264 -preset ultrafast -bf 2 -pix_fmt yuv420p -threads 1 "+
			aac+" -muxdelay 0 -muxpreload 0 -output_ts_offset 10")
	whole, err := p.card.transcode(t, in("broken", clip, second()...))
	if !card.NoError(t, err, "the whole segment", "") {
		return
	}
	// Another codec, with frames that later ones are made of.
	hevc := stored(t, "card/hevc.ts")
	inputs := append(brokenInputs(t, clip), broken{"HEVC, cut in the middle", hevc[:len(hevc)/2]},
		broken{"HEVC, one byte in 1000 damaged", damaged(hevc, 3, 1000)},
		broken{"HEVC, one byte in 200 damaged", damaged(hevc, 4, 200)})
	for _, b := range inputs {
		if late(t, end, b.name) {
			continue
		}
		p.broken(t, b, clip, whole)
	}
}

// broken tries one broken segment in the middle of a session, and as the first of one.
func (p pair) broken(t *testing.T, b broken, clip []byte, whole *core.TranscodeResult) {
	t.Helper()
	p.card.lost()
	for _, at := range []string{"in a session", "first of a session"} {
		what := fmt.Sprintf("%s, %s", b.name, at)
		j := in("broken", b.data, second()...)
		j.Reinit = at != "in a session"
		if !j.Reinit {
			if _, err := p.cpu.Transcode(t.Context(), in("broken", clip, second()...)); err != nil {
				t.Fatal(err)
			}
		}
		want, wantErr := p.cpu.Transcode(t.Context(), j)
		got, err := p.card.transcode(t, j)
		sameAnswer(t, what, got, err, want, wantErr)
		if lost := p.card.lost(); lost != "" {
			card.RecordCheck(t, what+": why the CPU takes part", reason(lost), "")
		}
		next, err := p.card.transcode(t, in("broken", clip, second()...))
		expected, seen := describedResult(whole, nil), describedResult(next, err)
		card.CheckThat(t, seen == expected, what+": the next segment", expected, seen, "")
	}
}

func describedResult(r *core.TranscodeResult, err error) string {
	if err != nil {
		return err.Error()
	}
	text := fmt.Sprintf("%d frames decoded", r.DecodedFrames)
	for _, out := range r.Renditions {
		text += fmt.Sprintf(", %d encoded", out.Frames)
	}
	return text
}

// shown is how many frames of a file can be decoded, -1 where it cannot be read.
func shown(data []byte) int {
	r, err := libav.Inspect(context.Background(), data)
	switch {
	case err != nil:
		return -1
	case r.Video == nil:
		return 0
	}
	return len(r.Video.Frames)
}

// sameAnswer checks the GPU's answer to a broken segment against the CPU's.
func sameAnswer(t *testing.T, what string, got *core.TranscodeResult, err error, want *core.TranscodeResult,
	wantErr error) {
	t.Helper()
	switch {
	case wantErr == nil && err == nil:
		n := shown(got.Renditions[0].Data)
		card.CheckThat(t, n == int(got.Renditions[0].Frames) && (n > 0 || want.Renditions[0].Frames == 0), what,
			fmt.Sprintf("delivered; the CPU makes %d frames", want.Renditions[0].Frames),
			fmt.Sprintf("delivered; %d frames, %d stated", n, got.Renditions[0].Frames), fmt.Sprintf("%d frames", n))
	case wantErr == nil:
		card.CheckThat(t, false, what, fmt.Sprintf("delivered; the CPU makes %d frames", want.Renditions[0].Frames),
			err.Error(), "")
	case err == nil:
		card.RecordCheck(t, what, fmt.Sprintf("delivered, where the CPU says %s", fault.CodeOf(wantErr)),
			fmt.Sprintf("%d frames", got.Renditions[0].Frames))
	default:
		card.CheckThat(t, fault.CodeOf(err).Class() == fault.CodeOf(wantErr).Class() &&
			fault.CodeOf(err) != fault.UnrecoverableState, what,
			fmt.Sprintf("%s, %s", fault.CodeOf(wantErr), fault.CodeOf(wantErr).Class()),
			fmt.Sprintf("%s, %s", fault.CodeOf(err), fault.CodeOf(err).Class()), "")
	}
}
