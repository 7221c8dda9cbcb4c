package worker_test

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/worker"
)

// TestImagesAreDecodedInAProcessOfTheirOwn: what an image takes ends that process alone.
func TestImagesAreDecodedInAProcessOfTheirOwn(t *testing.T) {
	t.Parallel()
	c := start(t, func(o *worker.Options) { o.Memory = 192 << 20 })
	picture := image.NewNRGBA(image.Rect(0, 0, 3, 2))
	picture.Set(1, 1, color.NRGBA{255, 0, 0, 128})
	var small, lossy, large bytes.Buffer
	err := png.Encode(&small, picture)
	if err == nil {
		err = jpeg.Encode(&lossy, picture, nil)
	}
	if err == nil {
		err = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&large, image.NewGray(image.Rect(0, 0, 8000, 8000)))
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		data  []byte
		limit int64
		want  fault.Code
	}{
		"a PNG": {small.Bytes(), 24, ""}, "a JPEG": {lossy.Bytes(), 24, ""},
		"more pixels than allowed": {small.Bytes(), 23, fault.InvalidData},
		"a damaged one":            {small.Bytes()[:50], 24, fault.InvalidData},
		"none":                     {[]byte("x"), 24, fault.InvalidData},
		"all memory":               {large.Bytes(), 8000 * 8000 * 4, fault.WorkerOutOfMemory},
	} {
		alone, err := c.Alone(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got, err := alone.(transcoder.ImageDecoder).DecodeImage(t.Context(), row.data, row.limit)
		_ = alone.Close()
		if fault.CodeOf(err) != row.want && (err != nil || row.want != "") {
			t.Errorf("%s: %v", name, err)
		}
		if row.want == "" && len(got) != 24 {
			t.Errorf("%s: %d bytes", name, len(got))
		}
		if name == "a PNG" && !bytes.Equal(got[16:20], []byte{128, 0, 0, 128}) {
			t.Errorf("pixels %v", got)
		}
	}
	if _, err := c.Transcode(t.Context(), job("s", "a segment")); err != nil || c.Status().Restarts != 0 {
		t.Errorf("the shared process: %v, %+v", err, c.Status())
	}
}
