package worker

import (
	"context"
	"fmt"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder"
)

var _ transcoder.ImageDecoder = (*isolatedEngine)(nil)

const opImage = "decode image"

// DecodeImage decodes an image in the child. The child is a separate process, so that an image that exhausts
// memory or time ends nothing else. The caller keeps the image.
func (a *isolatedEngine) DecodeImage(ctx context.Context, image []byte, limit int64) ([]byte, error) {
	if len(image) > core.MaxSegmentBytes || limit > core.MaxSegmentBytes {
		return nil, fault.New(fault.InvalidData, opImage, fmt.Sprintf("%d bytes", len(image)))
	}
	what := pendingRequest{kind: TypeImage, want: 1, most: limit}
	c, err := a.p.ask(ctx, what, image, func(slot int) ([]byte, error) {
		return EncodeImage(ImageMessage{Place: InputPlace{Len: len(image), Slot: slot}, Limit: limit}), nil
	})
	if err != nil {
		return nil, err
	}
	if c.result == nil {
		return nil, fault.New(fault.WorkerProtocol, opImage, "")
	}
	return c.result.Renditions[0].Data, nil
}

// decodeImage decodes a request's image, in the child. The pixels are a result of one rendition, as sound is.
func decodeImage(r *request) (*core.TranscodeResult, error) {
	pixels, err := transcoder.DecodeImage(r.input, r.limit)
	if err != nil {
		return nil, fault.New(fault.InvalidData, opImage, err.Error())
	}
	return &core.TranscodeResult{Renditions: []core.Rendition{{Data: pixels}}}, nil
}
