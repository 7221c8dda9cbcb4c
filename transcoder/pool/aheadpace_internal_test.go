package pool

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/test/coretest"
	"github.com/tuttinode/tutti/transcoder"
)

// aSecond is a device whose media play for a second, whatever was announced.
type aSecond struct{ *coretest.Fake }

func (aSecond) Parallel() int { return 2 }

func (d aSecond) Transcode(ctx context.Context, job *core.TranscodeJob) (*core.TranscodeResult, error) {
	res, err := d.Fake.Transcode(ctx, job)
	if err == nil {
		res.SourceDuration = time.Second
	}
	return res, err
}

// TestStreamsAtTheirPaceAreNotAhead: a live stream keeps its pace where its gateway was not told
// the length of its segments and says the usual two seconds, and where each needs two attempts.
func TestStreamsAtTheirPaceAreNotAhead(t *testing.T) {
	t.Parallel()
	fails := func(_ context.Context, _ int, _ *core.TranscodeJob) error { return errors.New("it broke") }
	for name, c := range map[string]struct {
		every time.Duration
		on    func(context.Context, int, *core.TranscodeJob) error
		want  int
	}{
		"seconds announced as two":   {every: time.Second, want: 1},
		"segments with two attempts": {every: 2 * time.Second, on: fails, want: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := &coretest.Fake{Name: "0", On: c.on}
				p := New([]transcoder.Engine{aSecond{f}}, Options{MaxSessions: 10})
				defer p.Close()
				for n := range 60 {
					job := segmentOf("live")
					job.Number = core.SegmentNumber(n)
					_, _ = p.Transcode(t.Context(), job)
					<-time.After(c.every)
				}
				if got := f.Jobs(); got < 60*c.want {
					t.Errorf("%d attempts", got)
				}
				if s := p.sessions.get("live"); s == nil || s.aheadBy(time.Now()) > 0 {
					t.Errorf("the stream counts as ahead of its media: %+v", s)
				}
			})
		})
	}
}
