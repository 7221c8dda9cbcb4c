package worker

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/telemetry"
)

// minPostTime is the least time for posting a result, however late it is.
const minPostTime = 10 * time.Second

// run transcodes a segment and posts the result.
func (c *TranscoderClient) run(ctx context.Context, t *transcoderTask) {
	defer t.position.leave()
	begun := time.Now()
	traced, span := c.o.Tracer.Start(ctx, t.parent, true, telemetry.Server, "transcode", "", begun)
	res, err := c.transcode(traced, t)
	span.Int(telemetry.SegmentNumber, int64(t.job.Number))
	span.Int(telemetry.Renditions, int64(len(t.job.Profiles)))
	span.Fail(err)
	span.End()
	c.releaseInput(t)
	if ctx.Err() != nil {
		return // the orchestrator canceled it
	}
	ctx, cancel := context.WithTimeout(ctx, max(minPostTime, t.limit-time.Since(begun)))
	defer cancel()
	// The next segment of the session need not wait for the post.
	t.position.leaveIfFirst()
	if err != nil {
		c.refuse(ctx, t, err)
		return
	}
	c.postRenditions(ctx, t, res)
}

// transcode fetches the input if needed, waits for the session's turn and transcodes.
func (c *TranscoderClient) transcode(outer context.Context, t *transcoderTask) (*core.TranscodeResult, error) {
	ctx, cancel := context.WithTimeout(outer, t.limit)
	defer cancel()
	if err := c.receiveInput(ctx, t); err != nil {
		if ctx.Err() == context.DeadlineExceeded && fault.CodeOf(err) == fault.WorkerInputLost {
			// A large segment says nothing about the worker.
			err = fault.Wrap(fault.TranscodeTimeout, "fetch the segment", err)
		}
		return nil, err
	}
	begun := time.Now()
	err := t.position.wait(ctx)
	var res *core.TranscodeResult
	if err == nil {
		res, err = c.o.Transcoder.Transcode(ctx, t.job)
	}
	if err != nil {
		return nil, timeoutFault(ctx, err)
	}
	if len(res.Renditions) != len(t.job.Profiles) {
		return nil, fault.New(fault.MismatchedSegments, "transcode", "")
	}
	c.count(t.job, res, time.Since(begun))
	return res, nil
}

// receiveInput fetches the input unless it came with the notification.
func (c *TranscoderClient) receiveInput(ctx context.Context, t *transcoderTask) error {
	begun := time.Now()
	if t.url != "" {
		timeout := fetchTimeout
		if t.from.IsTutti() {
			timeout = t.limit
		}
		data, err := c.fetch(ctx, t.from, t.url, timeout, func(n int64) error { return c.reserveInput(t, n) })
		if err != nil {
			return err
		}
		t.job.Input = data
	}
	c.o.Recorder.SegmentReceived(t.job.Manifest, len(t.job.Input), t.job.Duration, time.Since(begun))
	return nil
}

// timeoutFault maps the end of the task's time to the code that peers know.
func timeoutFault(ctx context.Context, err error) error {
	if code := fault.CodeOf(err); ctx.Err() != nil && (code == fault.Canceled || code == fault.DeadlineExceeded) {
		return fault.Wrap(fault.TranscodeTimeout, "transcode", err)
	}
	return err
}

func (c *TranscoderClient) count(job *core.TranscodeJob, res *core.TranscodeResult, took time.Duration) {
	var pixels core.Pixels
	names := make([]string, len(res.Renditions))
	for i, out := range res.Renditions {
		pixels += out.Pixels
		names[i] = job.Profiles[i].Name
	}
	c.o.Recorder.SegmentTranscoded(&core.Transcoded{Manifest: job.Manifest, Profiles: names, Duration: job.Duration,
		Took: took, Encoded: pixels, Verified: true})
}

// refuse posts a failure to the orchestrator.
func (c *TranscoderClient) refuse(ctx context.Context, t *transcoderTask, err error) {
	c.o.Log.Debug("segment not transcoded", "orchestrator", t.from.Addr(), "task", t.id, fault.Attr(err))
	if t.job != nil {
		c.o.Recorder.SegmentFailed(t.job.Manifest, string(fault.CodeOf(err)))
	}
	c.post(ctx, t, c.failure(t, err))
}

// postRenditions posts the renditions to the orchestrator.
func (c *TranscoderClient) postRenditions(ctx context.Context, t *transcoderTask, res *core.TranscodeResult) {
	boundary, err := transcoderRandomHex(c.o.Random, boundaryBytes)
	if err != nil {
		c.refuse(ctx, t, err)
		return
	}
	c.post(ctx, t, c.success(t, res, boundary))
}
