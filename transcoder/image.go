package transcoder

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/draw"
	"image/jpeg"
	"image/png"
	"net/http"

	"golang.org/x/image/webp"
)

// ImageDecoder decodes images in a process of its own: a small file can take minutes and gigabytes, whatever its
// header says.
type ImageDecoder interface {
	// DecodeImage returns the pixels of a PNG, JPEG or WebP, row by row, as image.RGBA has them: limit bytes at
	// most. The error is a fault, InvalidData for what is no such image.
	DecodeImage(ctx context.Context, image []byte, limit int64) ([]byte, error)
}

var errImageSize = errors.New("the image has no pixels, or too many")

// DecodeImage returns an image's pixels as an ImageDecoder does. Nothing bounds its time and its memory, so
// only a media worker may call it.
func DecodeImage(data []byte, limit int64) ([]byte, error) {
	config, decode := png.DecodeConfig, png.Decode
	switch http.DetectContentType(data) {
	case "image/jpeg":
		config, decode = jpeg.DecodeConfig, jpeg.Decode
	case "image/webp":
		config, decode = webp.DecodeConfig, webp.Decode
	}
	size, err := config(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if size.Width < 1 || size.Height < 1 || int64(size.Width)*int64(size.Height) > limit/bytesPerPixel {
		return nil, errImageSize
	}
	m, err := decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if m.Bounds().Dx() != size.Width || m.Bounds().Dy() != size.Height {
		return nil, errImageSize
	}
	out := image.NewRGBA(image.Rect(0, 0, size.Width, size.Height))
	draw.Draw(out, out.Rect, m, m.Bounds().Min, draw.Src)
	return out.Pix, nil
}

// bytesPerPixel is what a pixel takes of an image.RGBA.
const bytesPerPixel = 4
