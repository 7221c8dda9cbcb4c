package pipeline

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"

	"golang.org/x/image/bmp"
	"golang.org/x/image/webp"
)

// imageForms are the images whose size can be read, by how they begin. A '?' stands for any byte. Read-only.
var imageForms = []struct {
	magic string
	read  func(data []byte) (image.Config, error)
}{
	{pngMagic, func(b []byte) (image.Config, error) {
		if !onePNGHeader(b[len(pngMagic):]) {
			return image.Config{}, errTwoSizes
		}
		return png.DecodeConfig(bytes.NewReader(b))
	}},
	{"\xff\xd8", func(b []byte) (image.Config, error) { return jpeg.DecodeConfig(bytes.NewReader(b)) }},
	{"GIF8?a", func(b []byte) (image.Config, error) {
		cfg, err := gif.DecodeConfig(bytes.NewReader(b))
		if err == nil && !withinScreen(b, cfg.Width, cfg.Height) {
			err = errTwoSizes
		}
		return cfg, err
	}},
	{"RIFF????WEBPVP8", func(b []byte) (image.Config, error) { return webp.DecodeConfig(bytes.NewReader(b)) }},
	{"BM????\x00\x00\x00\x00", func(b []byte) (image.Config, error) { return bmp.DecodeConfig(bytes.NewReader(b)) }},
}

const pngMagic = "\x89PNG\r\n\x1a\n"

var (
	errImage = errors.New("unknown format")
	// errTwoSizes: a job is priced by the image's size, and its model server would see another.
	errTwoSizes = errors.New("the image has two sizes")
)

// ImageSize reads an image's width and height from its header, and nothing of the image.
func ImageSize(data []byte) (width, height int, err error) {
	cfg, err := imageConfig(data)
	return cfg.Width, cfg.Height, err
}

// imageConfig reads an image's header, and nothing of the image.
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

// onePNGHeader reports whether a PNG, without its magic, has one IHDR before its pixels: Pillow, and with
// it most model servers, takes the size from the last one, other readers from the first.
func onePNGHeader(b []byte) bool {
	const around = 12 // a chunk's length, name and checksum
	headers := 0
	for len(b) >= around {
		switch string(b[4:8]) {
		case "IHDR":
			headers++
		case "IDAT":
			return headers == 1
		}
		size := uint64(binary.BigEndian.Uint32(b)) + around
		if size > uint64(len(b)) {
			break
		}
		b = b[size:]
	}
	return headers <= 1
}

// withinScreen reports whether a GIF's first frame lies within its screen, whose size its header has:
// Pillow enlarges the image to the frame. What readers could understand differently is refused.
func withinScreen(b []byte, width, height int) bool {
	const (
		header    = 13
		extension = '!'
		frame     = ','
		noComment = 0xfe
	)
	if len(b) < header {
		return false
	}
	colors := 0
	if flags := b[10]; flags&0x80 != 0 {
		colors = 3 << (flags&7 + 1)
	}
	b = b[min(len(b), header+colors):]
	for len(b) > 2 && b[0] == extension {
		if b[2] == 0 && b[1] != noComment {
			return false
		}
		for b = b[2:]; len(b) > 0 && b[0] != 0; {
			b = b[min(len(b), int(b[0])+1):]
		}
		b = b[min(len(b), 1):]
	}
	if len(b) < 9 || b[0] != frame {
		return false
	}
	at := func(i int) int { return int(binary.LittleEndian.Uint16(b[i:])) }
	return at(1)+at(5) <= width && at(3)+at(7) <= height
}
