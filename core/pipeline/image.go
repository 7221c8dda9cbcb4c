package pipeline

import (
	"bytes"
	"errors"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"

	"golang.org/x/image/bmp"
	"golang.org/x/image/webp"
)

// imageForms are the pictures whose size can be read, by how they begin. A '?'
// stands for any byte. Read-only.
var imageForms = []struct {
	magic string
	read  func(data []byte) (image.Config, error)
}{
	{"\x89PNG\r\n\x1a\n", func(b []byte) (image.Config, error) { return png.DecodeConfig(bytes.NewReader(b)) }},
	{"\xff\xd8", func(b []byte) (image.Config, error) { return jpeg.DecodeConfig(bytes.NewReader(b)) }},
	{"GIF8?a", func(b []byte) (image.Config, error) { return gif.DecodeConfig(bytes.NewReader(b)) }},
	{"RIFF????WEBPVP8", func(b []byte) (image.Config, error) { return webp.DecodeConfig(bytes.NewReader(b)) }},
	{"BM????\x00\x00\x00\x00", func(b []byte) (image.Config, error) { return bmp.DecodeConfig(bytes.NewReader(b)) }},
}

var errImage = errors.New("unknown format")

// ImageSize reads a picture's width and height from its header, and nothing of the picture.
func ImageSize(data []byte) (width, height int, err error) {
	cfg, err := imageConfig(data)
	return cfg.Width, cfg.Height, err
}

// imageConfig reads a picture's header, and nothing of the picture.
func imageConfig(data []byte) (image.Config, error) {
	for _, form := range imageForms {
		if begins(data, form.magic) {
			return form.read(data)
		}
	}
	return image.Config{}, errImage
}

func begins(data []byte, magic string) bool {
	if len(data) < len(magic) {
		return false
	}
	for i := range len(magic) {
		if magic[i] != '?' && magic[i] != data[i] {
			return false
		}
	}
	return true
}
