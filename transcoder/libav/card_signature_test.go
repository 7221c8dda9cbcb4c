package libav_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/tuttinode/tutti/test/gpu/card"
)

// similar is below which distance MPEG-7 calls two frames the same: the default of
// libav's own comparison.
const similar = 116

// TestCardSignature: the video signatures of frames that the GPU scaled are those of the
// CPU's frames, as far as a comparison of signatures looks.
func TestCardSignature(t *testing.T) {
	p := newPair(t, card.Load(t))
	for n, clip := range gpuClips(t, 2) {
		j := in("signed", clip, gpuLadder()...)
		j.Signature = true
		what := fmt.Sprintf("segment %d", n)
		r := p.frames(t, what, j)
		if r.card == nil {
			continue
		}
		for k, out := range r.card.Renditions {
			sameSignature(t, fmt.Sprintf("%s, rendition %s", what, j.Profiles[k].Name), out.Signature,
				r.cpu.Renditions[k].Signature)
		}
	}
	plain := p.frames(t, "without signature", in("plain", gpuClips(t, 1)[0], gpuLadder()...))
	if plain.card != nil {
		card.CheckThat(t, plain.card.Renditions[0].Signature == nil, "signature where none is requested", "none",
			fmt.Sprintf("%d bytes", len(plain.card.Renditions[0].Signature)), "")
	}
	tellsApart(t, p)
}

// tellsApart checks that the distance is a measure at all: signatures of other frames
// are far apart.
func tellsApart(t *testing.T, p pair) {
	t.Helper()
	var all [][][]int
	for _, filter := range []string{"", " -vf hflip,vflip"} {
		j := in("other"+filter, makeClip(t, ".ts", moving("320x180")+filter+" "+x264), second()...)
		j.Signature = true
		r, err := p.card.transcode(t, j)
		if !card.NoError(t, err, "a segment to tell apart", "") {
			return
		}
		frames, err := signatureFrames(r.Renditions[0].Signature)
		if !card.NoError(t, err, "its signature", "") {
			return
		}
		all = append(all, frames)
	}
	d := apart(all[0][0], all[1][0])
	card.CheckThat(t, d >= similar, "distance of two different frames", fmt.Sprintf("%d or more", similar),
		fmt.Sprint(d),
		fmt.Sprint(d))
}

func sameSignature(t *testing.T, what string, got, want []byte) {
	t.Helper()
	a, err := signatureFrames(got)
	if err != nil {
		card.NoError(t, err, what+": signature read", "")
		return
	}
	b, err := signatureFrames(want)
	if err != nil {
		t.Fatal(err)
	}
	card.CheckThat(t, len(a) == len(b) && len(got) == len(want), what+": frames in the signature", fmt.Sprint(len(b)),
		fmt.Sprint(len(a)), "")
	worst, sum, equal := 0, 0, 0
	for i := range min(len(a), len(b)) {
		d := apart(a[i], b[i])
		worst, sum = max(worst, d), sum+d
		if d == 0 {
			equal++
		}
	}
	card.CheckThat(t, len(a) > 0 && worst < similar, what+": distance of the signatures' frames",
		fmt.Sprintf("below %d in each", similar),
		fmt.Sprintf("worst %d, mean %.1f, %d of %d frames equal", worst, float64(sum)/float64(max(1, len(a))), equal,
			len(a)), fmt.Sprint(worst))
	same := "differ"
	if bytes.Equal(got, want) {
		same = "are equal"
	}
	card.RecordCheck(t, what+": bytes of the signatures", same, fmt.Sprintf("%d B", len(got)))
}

// bits reads a binary signature.
type bits struct {
	data []byte
	at   int
}

func (b *bits) take(n int) (v uint32) {
	for range n {
		v <<= 1
		if b.at/8 < len(b.data) {
			v |= uint32(b.data[b.at/8]>>(7-b.at%8)) & 1
		}
		b.at++
	}
	return v
}

// Sizes in the binary form of ISO/IEC 15938-3: what stands before the number of frames,
// between it and the number of segments, of a segment, and of a frame's elements.
const (
	beforeFrames   = 32 + 1 + 2*16 + 2*16 + 32
	beforeSegments = 16 + 1 + 32 + 32
	segmentBits    = 2*32 + 1 + 2*32 + 5*243
	beforeElements = 1 + 32 + 8 + 5*8
	elementBytes   = 76
)

// signatureFrames are the elements of each frame in a signature, each 0, 1 or 2.
func signatureFrames(data []byte) ([][]int, error) {
	b := &bits{data: data}
	b.take(beforeFrames)
	frames := b.take(32)
	b.take(beforeSegments)
	segments := b.take(32)
	const most = 100_000
	if len(data) == 0 || frames > most || segments > most {
		return nil, errors.New("no signature")
	}
	b.take(int(segments)*segmentBits + 1)
	var all [][]int
	for b.at+beforeElements+8*elementBytes <= 8*len(data) {
		b.take(beforeElements)
		all = append(all, elements(b))
	}
	if len(all) != int(frames) {
		return nil, fmt.Errorf("%d frames stated, %d there", frames, len(all))
	}
	return all, nil
}

// elements reads a frame's: five of them are a number of base 3.
func elements(b *bits) []int {
	var out []int
	for range elementBytes {
		v := int(b.take(8))
		for _, weight := range []int{81, 27, 9, 3, 1} {
			out = append(out, v/weight%3)
		}
	}
	return out
}

// apart is the distance of two frames: the sum over all elements.
func apart(a, b []int) int {
	sum := 0
	for i := range a {
		sum += max(a[i]-b[i], b[i]-a[i])
	}
	return sum
}
