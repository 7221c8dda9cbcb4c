package orchestrator_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/server/rpc"
)

// untilLeft is a transcoder that works until its job is canceled.
type untilLeft struct{ begun chan struct{} }

func (u untilLeft) Transcode(ctx context.Context, _ *core.TranscodeJob) (*core.TranscodeResult, error) {
	u.begun <- struct{}{}
	<-ctx.Done()
	return nil, ctx.Err()
}
func (untilLeft) EndSession(core.SessionID) {}

// TestWhoLeavesPays: over both forms of HTTP, a gateway that hangs up on work that was
// begun pays for what it ordered.
func TestWhoLeavesPays(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, client func(*aiNode) *http.Client) {
		u := untilLeft{make(chan struct{})}
		c := newChainNode(t, func(s *setup) { s.rules.Transcoder = u })
		c.worker.Answer = func(ctx context.Context, _ *inference.Job) (*inference.Reply, error) {
			_, err := u.Transcode(ctx, nil)
			return nil, err
		}
		in := c.terms(nil)
		ordered := meta(in.GetAuthToken(), nil)
		var want []pm.Work
		for _, tc := range []struct {
			req   *http.Request
			units int64
		}{
			{c.llm(c.terms(wantsLlama()), 1, paidChat), 10},
			{c.segment(in, 3), int64(core.EstimatePixels(ordered.Profiles, ordered.Duration))},
		} {
			ctx, leave := context.WithCancel(t.Context())
			gone := make(chan error, 1)
			go func() {
				res, err := client(c.aiNode).Do(tc.req.WithContext(ctx))
				if err == nil {
					_, err = io.Copy(io.Discard, res.Body)
					res.Body.Close()
				}
				gone <- err
			}()
			<-u.begun
			if got := c.pay.Work(); !slices.Equal(got, want) {
				t.Errorf("billed %+v before it left", got)
			}
			leave()
			if err := <-gone; err == nil {
				t.Error("a whole answer")
			}
			want = append(want, pm.Work{Units: tc.units})
			eventually(t, func() bool { return c.pay.Open() == 0 })
			if got := c.pay.Work(); !slices.Equal(got, want) {
				t.Errorf("billed %+v, want %+v", got, want)
			}
			c.free()
		}
	})
}

// TestPaidPictureIsOfTheSizeBilled: a runner has its own idea of an image without a
// size.
func TestPaidPictureIsOfTheSizeBilled(t *testing.T) {
	t.Parallel()
	c := newChainNode(t)
	model := modelOf(capability.TextToImage).Model
	got := make(chan string, 1)
	c.worker.Answer = func(_ context.Context, job *inference.Job) (*inference.Reply, error) {
		got <- string(job.Body)
		return &inference.Reply{Status: 422, Body: io.NopCloser(strings.NewReader(`{"detail":"no"}`))}, nil
	}
	in := c.terms(rpc.FromCapabilities(wanted(model)))
	m := c.credentials(model, in.GetAuthToken())
	m.Sig = c.gateway.sign(t, signature.Segment(model.Manifest(), 0, signature.Keccak256(nil), nil))
	req, err := http.NewRequest(http.MethodPost, c.uri+"/text-to-image",
		bytes.NewReader([]byte(`{"model_id":"m","prompt":"x","height":64}`)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Livepeer-Segment", b64(m))
	req.Header.Set("Livepeer-Payment", c.payment(in, 1))
	req.Header.Set("Content-Type", "application/json")
	do(t, c.h2, req)
	if body := <-got; body != `{"width":512,"model_id":"m","prompt":"x","height":64}` {
		t.Errorf("the runner gets %s", body)
	}
	if job := c.pay.Jobs()[0]; job.Estimate != 512*64 {
		t.Errorf("set aside for %d", job.Estimate)
	}
	c.free()
}
