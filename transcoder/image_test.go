package transcoder_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"
	"testing"

	"github.com/tuttinode/tutti/transcoder"
)

// FuzzDecodeImage: what is decoded has as many bytes as its header's pixels, within the limit.
func FuzzDecodeImage(f *testing.F) {
	picture := image.NewNRGBA(image.Rect(0, 0, 5, 3))
	var small, lossy bytes.Buffer
	if png.Encode(&small, picture) != nil || jpeg.Encode(&lossy, picture, nil) != nil {
		f.Fatal("no seeds")
	}
	f.Add(small.Bytes())
	f.Add(lossy.Bytes())
	f.Add([]byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		const limit = 1 << 18
		got, err := transcoder.DecodeImage(data, limit)
		if err == nil && (len(got) == 0 || len(got) > limit || len(got)%4 > 0) {
			t.Errorf("%d bytes", len(got))
		}
	})
}
