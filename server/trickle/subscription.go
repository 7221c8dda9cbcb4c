package trickle

import (
	"context"
	"errors"
	"io"
)

// Done is closed when the channel is.
func (c *Channel) Done() <-chan struct{} { return c.done }

// Readers is how many requests and subscriptions read the channel now.
func (c *Channel) Readers() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.readers
}

// maxLag is how many segments a subscription may be behind before it goes on with the latest one.
const maxLag = 3

// Subscription reads whole segments of a channel of this process, one after another. It is not for
// concurrent use.
type Subscription struct {
	c    *Channel
	next int64
}

// Subscribe begins with the segment that is written next.
func (c *Channel) Subscribe() *Subscription { return &Subscription{c: c, next: c.Next()} }

// Next waits for the end of the next segment and returns its bytes and its number. A subscription that
// lags behind leaves segments out. io.EOF is the end of the channel; other errors are those of ctx.
func (s *Subscription) Next(ctx context.Context) ([]byte, int64, error) {
	for {
		if latest := s.c.Next() - 1; latest-s.next >= maxLag {
			s.next = latest
		}
		data, err := s.c.readAll(ctx, s.next)
		switch {
		case err == nil:
			s.next++
			return data, s.next - 1, nil
		case errors.Is(err, errClosed):
			return nil, 0, io.EOF
		case errors.Is(err, errDropped):
			s.next++
		case errors.Is(err, errNotKept):
			s.next = s.c.Next()
		default:
			return nil, 0, err
		}
	}
}

// readAll waits for the end of a segment.
func (c *Channel) readAll(ctx context.Context, number int64) ([]byte, error) {
	s, _, _, err := c.openForReading(number)
	if err != nil {
		return nil, err
	}
	defer c.leave()
	var at position
	var data []byte
	for {
		parts, grown, err := c.read(s, &at)
		switch {
		case err != nil:
			return nil, err
		case len(parts) > 0:
			for _, p := range parts {
				data = append(data, p...)
			}
			continue
		case grown == nil:
			return data, c.cutOff(len(data))
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// cutOff tells a channel that was closed before the segment had a byte from an empty segment.
func (c *Channel) cutOff(n int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed && n == 0 {
		return errClosed
	}
	return nil
}
