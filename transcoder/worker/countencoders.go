package worker

import (
	"context"
	"errors"
	"fmt"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder"
)

var _ transcoder.EncoderLimiter = (*Client)(nil)

// EncoderLimit lets the child find out how many hardware encoders it may have
// open, at most atMost. An engine that has none answers 0.
func (c *Client) EncoderLimit(ctx context.Context, atMost int) (int, error) {
	atMost = min(max(atMost, 0), MaxEncoders)
	for {
		p, err := c.awaitProcess(ctx)
		if err != nil {
			return 0, err
		}
		n, err := p.encoderLimit(ctx, atMost)
		if !errors.Is(err, errRetired) {
			return n, err
		}
	}
}

func (p *process) encoderLimit(ctx context.Context, atMost int) (int, error) {
	c, err := p.ask(ctx, pendingRequest{kind: TypeLimit}, nil, func(int) ([]byte, error) {
		return EncodeCount(atMost), nil
	})
	if err != nil {
		return 0, err
	}
	if !c.counted || c.encoders > atMost {
		return 0, fault.New(fault.WorkerProtocol, "count encoders", fmt.Sprintf("%d of %d", c.encoders, atMost))
	}
	return c.encoders, nil
}

// count answers how many encoders the engine can have open.
func (s *server) count(id uint64, r *request) {
	l, ok := s.engine.(transcoder.EncoderLimiter)
	if !ok {
		_ = s.conn.Send(TypeLimited, id, EncodeCount(0))
		return
	}
	n, err := l.EncoderLimit(r.ctx, r.encoders)
	if err != nil {
		_ = s.conn.Send(TypeError, id, EncodeError(err))
		return
	}
	_ = s.conn.Send(TypeLimited, id, EncodeCount(n))
}
