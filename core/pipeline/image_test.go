package pipeline_test

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"
	"testing"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/pipeline"
)

// pngHeader is a PNG's IHDR chunk.
func pngHeader(side uint32) []byte {
	b := binary.BigEndian.AppendUint32([]byte("IHDR"), side)
	b = append(binary.BigEndian.AppendUint32(b, side), 8, 2, 0, 0, 0)
	out := append(binary.BigEndian.AppendUint32(nil, uint32(len(b)-4)), b...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(b))
}

// TestPicturesOfTwoSizes: a job is priced by the size of its image. Pillow reads another size than most in these, and
// would have a model work on 16 million pixels at the price of 64.
func TestPicturesOfTwoSizes(t *testing.T) {
	t.Parallel()
	const magic, end = "\x89PNG\r\n\x1a\n", "\x00\x00\x00\x04IDAT\x00\x00\x00\x00\x00\x00\x00\x00"
	text := []byte("\x00\x00\x00\x00tEXt\x00\x00\x00\x00")
	screen := []byte("GIF89a\x08\x00\x08\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff")
	const (
		small   = ",\x00\x00\x00\x00\x08\x00\x08\x00\x00\x02"
		large   = ",\x00\x00\x00\x00\x00\x10\x00\x10\x00\x02"
		moved   = ",\x01\x00\x00\x00\x08\x00\x08\x00\x00\x02"
		control = "!\xf9\x04\x00\x00\x00\x00\x00"
		comment = "!\xfe\x00"
		// Pillow reads on after an extension without a block, to the next empty block.
		empty = "!\x01\x00\x0b"
	)
	for name, row := range map[string]struct {
		data []byte
		good bool
	}{
		"PNG":                    {slices.Concat([]byte(magic), pngHeader(8), text, []byte(end)), true},
		"PNG, two headers":       {slices.Concat([]byte(magic), pngHeader(8), pngHeader(4096), []byte(end)), false},
		"PNG, two headers apart": {slices.Concat([]byte(magic), pngHeader(8), text, pngHeader(4096), []byte(end)), false},
		"GIF":                    {slices.Concat(screen, []byte(control+comment+small)), true},
		"GIF, large frame":       {slices.Concat(screen, []byte(large)), false},
		"GIF, moved frame":       {slices.Concat(screen, []byte(control+moved)), false},
		"GIF, hidden frame":      {slices.Concat(screen, []byte(empty+small+"\x00"+large)), false},
		"GIF, unknown block":     {slices.Concat(screen, []byte("\x00"+large)), false},
		"GIF, no frame":          {screen, false},
	} {
		contentType, body := written("image", row.data, "model_id", "m", "prompt", "p")
		for _, id := range []capability.ID{capability.ImageToImage, capability.Upscale, capability.ImageToText} {
			r, err := pipeline.Parse(id, "", contentType, body, nil)
			if row.good && (err != nil || r.Units != 64) || !row.good && !errors.Is(err, fault.ImageUnreadable) {
				t.Errorf("%s for %s: %v", name, id.Pipeline(), err)
			}
		}
	}
}
