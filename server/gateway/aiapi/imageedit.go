package aiapi

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"slices"

	"golang.org/x/image/draw"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/pipeline"
)

const (
	// maxSide bounds the sides of an image that this gateway decodes, in pixels.
	maxSide = 4096
	// bytesPerPixel is what an image takes at most that is decoded, or made and encoded. bytesPerStep is what
	// scaling takes for each pixel of its first step.
	bytesPerPixel = 12
	bytesPerStep  = 32
)

var (
	errSide        = errors.New("its sides must have 1 to 4096 pixels")
	errUndecodable = errors.New("it cannot be decoded, or takes too long or too much memory")
	errNoDecoder   = errors.New("this gateway decodes no images")
)

// newEdit reads what is to be edited: an image of the size asked for, where that is not 0, and its mask.
func (x *relayedRequest) newEdit(ctx context.Context, file, mask []byte, width, height int) (*edit, error) {
	if width > maxSide || height > maxSide {
		return nil, unreadable("size: 4096 pixels at most")
	}
	original, err := x.decodeImage(ctx, file)
	if err != nil {
		return nil, wrongImage("image", err)
	}
	e := &edit{size: image.Rect(0, 0, width, height)}
	before := original.Bounds().Sub(original.Bounds().Min)
	if width == 0 {
		e.size = before
	}
	if e.original, err = x.scaled(original, e.size); err != nil {
		return nil, err
	}
	if mask != nil {
		if e.mask, err = x.readMask(ctx, mask, before, e.size); err != nil {
			return nil, err
		}
	}
	if e.size == before { // as it came
		e.sent = file
		return e, nil
	}
	e.sent, err = encodePNG(e.original)
	return e, err
}

// readMask reads the mask of an image, and gives it another size.
func (x *relayedRequest) readMask(ctx context.Context, file []byte, before, size image.Rectangle) (*image.Alpha,
	error) {
	m, err := x.decodeImage(ctx, file)
	switch {
	case err != nil:
		return nil, wrongImage("mask", err)
	case m.Bounds().Size() != before.Size():
		return nil, unreadable("mask: it does not have the image's size")
	}
	if err := x.growImage(size); err != nil {
		return nil, err
	}
	mask := image.NewAlpha(size)
	draw.NearestNeighbor.Scale(mask, size, m, m.Bounds(), draw.Src, nil)
	if !slices.ContainsFunc(mask.Pix, func(alpha uint8) bool { return alpha < 255 }) {
		return nil, unreadable("mask: nothing in it is transparent, so nothing would be edited")
	}
	return mask, nil
}

// scaled returns an image in another size.
func (x *relayedRequest) scaled(m image.Image, size image.Rectangle) (*image.RGBA, error) {
	if err := x.growImage(size); err != nil {
		return nil, err
	}
	out := image.NewRGBA(size)
	if m.Bounds().Size() == size.Size() {
		draw.Draw(out, size, m, m.Bounds().Min, draw.Src)
		return out, nil
	}
	if err := x.grow(bytesPerStep * int64(size.Dx()) * int64(m.Bounds().Dy())); err != nil {
		return nil, err
	}
	draw.CatmullRom.Scale(out, size, m, m.Bounds(), draw.Src, nil)
	return out, nil
}

// applyEdit gives the results the size asked for, and puts back what the mask protects.
func (x *relayedRequest) applyEdit(ctx context.Context, e *edit, m *mediaAnswer) error {
	for i := range m.results {
		made, err := x.decodeImage(ctx, m.results[i].data)
		if errors.As(err, new(*fault.Fault)) {
			return err
		}
		if err != nil {
			return &fault.Fault{Code: fault.ResultUnusable, Op: "edit image", Detail: "an image of the answer cannot be read: " +
				err.Error(), Err: err}
		}
		if e.mask == nil && made.Bounds().Size() == e.size.Size() {
			continue
		}
		out, err := x.scaled(made, e.size)
		if err != nil {
			return err
		}
		if e.mask != nil {
			draw.DrawMask(out, e.size, e.original, image.Point{}, e.mask, image.Point{}, draw.Over)
		}
		data, err := encodePNG(out)
		if err != nil {
			return err
		}
		m.results[i] = newResult(data)
	}
	return nil
}

// decodeImage has a PNG, JPEG or WebP decoded whose header says that it is not too large. This process decodes none:
// what an image takes of time and memory is not in its header. An error that is no fault is the image's.
func (x *relayedRequest) decodeImage(ctx context.Context, data []byte) (*image.RGBA, error) {
	const op = "decode image"
	width, height, err := pipeline.ImageSize(data)
	if err != nil {
		return nil, err
	}
	if width < 1 || height < 1 || width > maxSide || height > maxSide {
		return nil, errSide
	}
	if err := x.growImage(image.Rect(0, 0, width, height)); err != nil {
		return nil, err
	}
	if x.server.opt.Media == nil {
		return nil, errNoDecoder
	}
	out := &image.RGBA{Stride: 4 * width, Rect: image.Rect(0, 0, width, height)}
	out.Pix, err = x.server.opt.Media.DecodeImage(ctx, data, int64(4*width*height))
	switch {
	case err != nil && x.r.Context().Err() != nil:
		return nil, fault.Wrap(fault.CodeOf(x.r.Context().Err()), op, x.r.Context().Err())
	case err != nil && ctx.Err() == nil && notTheMediasFault(err):
		return nil, err
	case err != nil, len(out.Pix) != 4*width*height:
		return nil, errUndecodable
	}
	return out, nil
}

// growImage takes the memory of an image.
func (x *relayedRequest) growImage(r image.Rectangle) error {
	return x.grow(bytesPerPixel * int64(r.Dx()) * int64(r.Dy()))
}

func encodePNG(m image.Image) ([]byte, error) {
	var b bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestSpeed}
	err := e.Encode(&b, m)
	return b.Bytes(), err
}

// wrongImage is the fault of a client's image.
func wrongImage(field string, err error) error {
	if errors.As(err, new(*fault.Fault)) {
		return err
	}
	return unreadable(field + ": " + err.Error())
}
