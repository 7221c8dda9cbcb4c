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
	// The next segment of the session need not wait for this one's way back.
	t.place.pass()
	if err != nil {
		c.refuse(ctx, t, err)
		return
	}
	c.bring(ctx, t, res)
}

// transcode fetches the input if needed, waits for the session's turn and has the work
// done.
func (c *Client) transcode(outer context.Context, t *task) (*core.TranscodeResult, error) {
	ctx, cancel := context.WithTimeout(outer, t.limit)
	defer cancel()
	if err := c.receive(ctx, t); err != nil {
		return nil, err
	}
	begun := time.Now()
	err := t.place.turn(ctx)
	var res *core.TranscodeResult
	if err == nil {
		res, err = c.o.Transcoder.Transcode(ctx, t.job)
	}
	if err != nil {
		return nil, late(ctx, err)
	}
	if len(res.Renditions) != len(t.job.Profiles) {
		return nil, fault.New(fault.MismatchedSegments, "transcode", "")
	}
	c.count(t.job, res, time.Since(begun))
	return res, nil
}

// receive fetches the input where it did not come with the notice.
func (c *Client) receive(ctx context.Context, t *task) error {
	begun := time.Now()
	if t.url != "" {
		patience := fetchTimeout
		if t.from.Own() {
			patience = t.limit
		}
		data, err := c.fetch(ctx, t.from, t.url, patience, func(n int64) error { return c.hold(t, n) })
		if err != nil {
			return err
		}
		t.job.Input = data
	}
	c.o.Recorder.SegmentReceived(t.job.Manifest, len(t.job.Input), t.job.Duration, time.Since(begun))
	return nil
}

// late gives the end of the task's time a name that peers know.
func late(ctx context.Context, err error) error {
	if code := fault.CodeOf(err); ctx.Err() != nil && (code == fault.Canceled || code == fault.DeadlineExceeded) {
		return fault.Wrap(fault.TranscodeTimeout, "transcode", err)
	}
	return err
}

func (c *Client) count(job *core.TranscodeJob, res *core.TranscodeResult, took time.Duration) {
	var pixels core.Pixels
	names := make([]string, len(res.Renditions))
	for i, out := range res.Renditions {
		pixels += out.Pixels
		names[i] = job.Profiles[i].Name
	}
	c.o.Recorder.SegmentTranscoded(&core.Transcoded{Manifest: job.Manifest, Profiles: names, Duration: job.Duration,
		Took: took, Encoded: pixels, Verified: true})
}

// refuse tells the orchestrator that there will be no renditions.
func (c *Client) refuse(ctx context.Context, t *task, err error) {
	c.o.Log.Debug("segment not transcoded", "orchestrator", t.from.Addr(), "task", t.id, fault.Attr(err))
	if t.job != nil {
		c.o.Recorder.SegmentFailed(t.job.Manifest, string(fault.CodeOf(err)))
	}
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
