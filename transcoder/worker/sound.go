package worker

import (
	"context"
	"errors"
	"fmt"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder"
)

var _, _ transcoder.SoundConverter = (*Client)(nil), (*isolatedEngine)(nil)

const opSound = "convert sound"

// ConvertSound lets the child convert sound. The sound stays the caller's.
func (c *Client) ConvertSound(ctx context.Context, sound []byte, to core.SoundFormat, limit int64) ([]byte, error) {
	for {
		p, err := c.awaitProcess(ctx)
		if err != nil {
			return nil, err
		}
		out, err := p.convertSound(ctx, sound, to, limit)
		if !errors.Is(err, errRetired) {
			return out, err
		}
	}
}

// ConvertSound lets the child convert sound: see Client.ConvertSound.
func (a *isolatedEngine) ConvertSound(ctx context.Context, sound []byte, to core.SoundFormat, limit int64) (
	[]byte, error) {
	return a.p.convertSound(ctx, sound, to, limit)
}

// convertSound has one file made. It is a result of one rendition, so that all that bounds and counts
// results bounds and counts it.
func (p *process) convertSound(ctx context.Context, sound []byte, to core.SoundFormat, limit int64) ([]byte, error) {
	if len(sound) > core.MaxSegmentBytes || limit > core.MaxSegmentBytes {
		return nil, fault.New(fault.TranscoderInvalidInput, opSound, fmt.Sprintf("%d bytes", len(sound)))
	}
	a := pendingRequest{kind: TypeSound, want: 1, most: limit}
	c, err := p.ask(ctx, a, sound, func(slot int) ([]byte, error) {
		return EncodeSound(SoundMessage{Place: InputPlace{Len: len(sound), Slot: slot}, To: to, Limit: limit}), nil
	})
	if err != nil {
		return nil, err
	}
	if c.result == nil {
		return nil, fault.New(fault.WorkerProtocol, opSound, "")
	}
	return c.result.Renditions[0].Data, nil
}

// sound converts a request's sound.
func (s *server) sound(r *request) (*core.TranscodeResult, error) {
	converter, ok := s.engine.(transcoder.SoundConverter)
	if !ok {
		return nil, fault.New(fault.TranscoderInvalidInput, opSound, "this engine converts no sound")
	}
	data, err := converter.ConvertSound(r.ctx, r.input, r.to, r.limit)
	return &core.TranscodeResult{Renditions: []core.Rendition{{Data: data}}}, err
}
