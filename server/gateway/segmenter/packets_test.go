package segmenter_test

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/bluenviron/mediacommon/v2/pkg/codecs/mpeg4audio"
	"github.com/bluenviron/mediacommon/v2/pkg/formats/mpegts"

	"github.com/tuttinode/tutti/server/gateway/segmenter"
)

// muxed is a stream of pictures and sound.
func muxed(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	video := &mpegts.Track{Codec: &mpegts.CodecH264{}}
	audio := &mpegts.Track{Codec: &mpegts.CodecMPEG4Audio{Config: mpeg4audio.AudioSpecificConfig{
		Type: mpeg4audio.ObjectTypeAACLC, SampleRate: 48000, ChannelCount: 2}}}
	w := &mpegts.Writer{W: &b, Tracks: []*mpegts.Track{video, audio}}
	if err := w.Initialize(); err != nil {
		t.Fatal(err)
	}
	for i, size := range []int{3, 100_000, 180, 181, 182, 183, 184, 185, 7, 20_000} {
		at := int64(i) * 3000
		err := errors.Join(w.WriteH264(video, at, at, [][]byte{append([]byte{0x65}, make([]byte, size)...)}),
			w.WriteMPEG4Audio(audio, at, [][]byte{make([]byte, size%1000)}))
		if err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// What a muxer writes passes as it is, in whatever pieces it comes; bytes between packets are left out.
func TestPacketsPass(t *testing.T) {
	t.Parallel()
	want := muxed(t)
	for name, p := range map[string]*segmenter.Packets{
		"whole":      {R: bytes.NewReader(want), Strict: true},
		"bytes":      {R: iotest.OneByteReader(bytes.NewReader(want)), Strict: true},
		"cut off":    {R: io.MultiReader(bytes.NewReader(want), bytes.NewReader(want[:100])), Strict: true},
		"in garbage": {R: io.MultiReader(bytes.NewReader(make([]byte, 1000)), bytes.NewReader(want))},
	} {
		if got, err := io.ReadAll(p); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes of %d, %v", name, len(got), len(want), err)
		}
	}
	odd := io.MultiReader(bytes.NewReader(want), bytes.NewReader(make([]byte, 1000)))
	if _, err := io.ReadAll(&segmenter.Packets{R: odd, Strict: true}); !errors.Is(err, segmenter.ErrNoPackets) {
		t.Error(err)
	}
}

// FuzzPackets: whatever comes, whole packets pass and the reader ends.
func FuzzPackets(f *testing.F) {
	f.Add(muxed(f)[:188*20], false)
	f.Add([]byte{0x47, 0x40, 0, 0x30, 1, 0xff}, true)
	f.Fuzz(func(t *testing.T, data []byte, strict bool) {
		p := &segmenter.Packets{R: bytes.NewReader(data), Strict: strict}
		if got, _ := io.ReadAll(p); len(got)%188 != 0 || len(got) > len(data) {
			t.Fatal(len(got), len(data))
		}
	})
}
