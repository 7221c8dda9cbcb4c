package transcoder

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// leastPost is how long a result may be on its way, however late it is.
const leastPost = 10 * time.Second

// do has a segment transcoded and brings what came of it.
func (c *Client) do(ctx context.Context, t *task) {
	defer t.place.leave()
	begun := time.Now()
	res, err := c.transcode(ctx, t)
	c.release(t)
	if ctx.Err() != nil {
		return // nobody waits for it
	}
	ctx, cancel := context.WithTimeout(ctx, max(leastPost, t.limit-time.Since(begun)))
	defer cancel()
	if err != nil {
		c.refuse(ctx, t, err)
		return
	}
	// The next segment of the session need not wait for this one's way back.
	t.place.leave()
	c.bring(ctx, t, res)
}

// transcode fetches the input if needed, waits for the session's turn and has the work
// done.
func (c *Client) transcode(ctx context.Context, t *task) (*core.TranscodeResult, error) {
	ctx, cancel := context.WithTimeout(ctx, t.limit)
	defer cancel()
	if t.url != "" {
		data, err := c.fetch(ctx, t.url, func(n int64) error { return c.hold(t, n) })
		if err != nil {
			return nil, err
		}
		t.job.Input = data
	}
	if err := t.place.turn(ctx); err != nil {
		return nil, fault.Wrap(fault.TranscodeTimeout, "wait for the segment before", err)
	}
	res, err := c.o.Transcoder.Transcode(ctx, t.job)
	if err == nil && len(res.Renditions) != len(t.job.Profiles) {
		return nil, fault.New(fault.MismatchedSegments, "transcode", "")
	}
	return res, err
}

// refuse tells the orchestrator that there will be no renditions.
func (c *Client) refuse(ctx context.Context, t *task, err error) {
	c.o.Log.Debug("segment not transcoded", "orchestrator", t.from.Addr(), "task", t.id, fault.Attr(err))
	c.post(ctx, t, c.failure(t, err))
}

// bring takes the renditions to the orchestrator.
func (c *Client) bring(ctx context.Context, t *task, res *core.TranscodeResult) {
	boundary, err := randomHex(c.o.Random, boundaryBytes)
	if err != nil {
		c.refuse(ctx, t, err)
		return
	}
	c.post(ctx, t, c.success(t, res, boundary))
}
