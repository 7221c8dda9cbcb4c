package aiapi

import (
	"testing"

	"github.com/tuttinode/tutti/core/capability"
)

// FuzzMade reads what orchestrators answer to jobs that make media.
func FuzzMade(f *testing.F) {
	for _, text := range []string{
		`{"images":[{"url":"data:image/png;base64,AA==","seed":1,"nsfw":false}]}`, `{"audio":{"url":"/a.wav"}}`,
		`{"frames":[[{"url":"/1.png"},{"url":"\u002f2"}]]}`, `{"images":[[[{}]]]}`, `{"images":{"url":"a","url":"b"}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := readMediaAnswer(b)
		if err != nil {
			return
		}
		if len(m.urlSpans) == 0 || len(m.urlSpans) > maxResults || m.sizeWithoutURLs() < 0 {
			t.Fatalf("%d places", len(m.urlSpans))
		}
		last := 0
		for range m.urlSpans {
			m.urls = append(m.urls, "http://gateway/results/x/0.png")
		}
		for _, p := range m.urlSpans {
			if p.from < last || p.to > len(b) || p.to-p.from < 2 || b[p.from] != '"' || b[p.to-1] != '"' {
				t.Fatalf("a place from %d to %d of %d", p.from, p.to, len(b))
			}
			last = p.to
		}
		out, err := m.withURLs(func(int64) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		again, err := readMediaAnswer(out)
		if err != nil || len(again.urlSpans) != len(m.urlSpans) {
			t.Fatalf("%q became %q: %v", b, out, err)
		}
	})
}

// FuzzResults looks at the media that came.
func FuzzResults(f *testing.F) {
	f.Add([]byte(pngMagic + "\x00\x00\x00\x00IEND\xaeB`\x82"))
	f.Add([]byte("RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00"))
	f.Add([]byte("\x00\x00\x00\x0cftypabcd\x00\x00\x00\x08moov\x00\x00\x00\x08mdat"))
	f.Fuzz(func(_ *testing.T, b []byte) {
		for _, id := range []capability.ID{capability.TextToImage, capability.TextToSpeech, capability.ImageToVideo} {
			_ = checkResult(id, b)
		}
		newResult(b)
	})
}
