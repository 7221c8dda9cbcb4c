package orchestrate_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/pm"
)

// TestUnpaidWork is a gateway that says of a minute of video that it lasts a
// millisecond, pays for that, and sends as many at once as it can: one of them is
// worked on, and the others get the refusal at their turn.
func TestUnpaidWork(t *testing.T) {
	t.Parallel()
	const (
		minute = 60 * 30 * 640 * 360 // what there is, in pixels, each a wei
		value  = 8_000_000           // what a ticket brings; a second is 6 912 000
	)
	synctest.Test(t, func(t *testing.T) {
		var working, most atomic.Int32
		n, pay := paidNode(t, func(o *orchestrate.Options) {
			o.Now = time.Now
			o.Transcoder = transcoder(func(*core.TranscodeJob) (*core.TranscodeResult, error) {
				most.Store(max(most.Load(), working.Add(1)))
				defer working.Add(-1)
				<-time.After(time.Second) // of the test's own clock
				return &core.TranscodeResult{Renditions: []core.Rendition{{Data: make([]byte, 100), Pixels: minute}}},
					nil
			})
		})
		pay.Price, pay.EV = pm.Price{PerUnit: 1, PixelsPerUnit: 1}, core.NewWei(value)
		tok := n.payerToken()
		var wg sync.WaitGroup
		var done, refused atomic.Int32
		const sent = 1 + orchestrate.QueueLength
		for i := range sent {
			req := paidRequest(tok, 1)
			req.Number, req.Duration = core.SegmentNumber(i), time.Millisecond
			req.Profiles = []core.Profile{{Name: "a", Width: 640, Height: 360, FPS: core.Framerate{Num: 30}}}
			req.Payment.Expected, req.Payment.Params.FaceValue = &pay.Price, core.NewWei(value)
			seg, err := n.Admit(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			wg.Go(func() {
				defer seg.Close()
				switch _, err := seg.Transcode(context.Background(), nil); {
				case err == nil:
					done.Add(1)
				case fault.Wire(err) == "Insufficient balance":
					refused.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if done.Load() != 1 || refused.Load() != sent-1 || most.Load() != 1 {
			t.Errorf("%d done, %d refused, %d at once", done.Load(), refused.Load(), most.Load())
		}
		account := pm.Account{Sender: payer, Key: core.ManifestID(tok.Session)}
		if got := pay.Balance(account).Floor().Int64(); got != sent*value-minute {
			t.Errorf("the balance is %d", got)
		}
		// Before it has paid for that, nothing comes in any more.
		_, err := n.Admit(t.Context(), paidRequest(tok, 1))
		wantCode(t, err, fault.ExpectedPriceWrong)
		req := paidRequest(tok, 1)
		req.Payment.Expected = &pay.Price
		_, err = n.Admit(t.Context(), req)
		wantCode(t, err, fault.InsufficientBalance)
	})
}

// TestHoldEnds: whatever becomes of a segment, no money stays aside, and only work
// that was done is billed.
func TestHoldEnds(t *testing.T) {
	t.Parallel()
	good := core.Rendition{Data: make([]byte, 100), Pixels: 5}
	for name, tc := range map[string]struct {
		work   func(context.CancelFunc) (*core.TranscodeResult, error)
		run    func(context.Context, *orchestrate.Segment)
		billed int
	}{
		"the body is refused": {nil, func(_ context.Context, seg *orchestrate.Segment) {}, 0},
		"the work fails": {func(context.CancelFunc) (*core.TranscodeResult, error) {
			return nil, fault.New(fault.InvalidData, "", "")
		}, transcode, 0},
		"too few renditions": {func(context.CancelFunc) (*core.TranscodeResult,
			error) {
			return &core.TranscodeResult{}, nil
		}, transcode, 0},
		"the work panics": {func(context.CancelFunc) (*core.TranscodeResult, error) { panic("libav") },
			transcode, 0},
		"the gateway goes, undone": {func(c context.CancelFunc) (*core.TranscodeResult, error) {
			c()
			return nil,
				context.Canceled
		}, transcode, 1},
		"the gateway goes, done": {func(c context.CancelFunc) (*core.TranscodeResult, error) {
			c()
			return &core.TranscodeResult{Renditions: []core.Rendition{good, good}}, nil
		}, transcode, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			n, pay := paidNode(t, func(o *orchestrate.Options) {
				o.Transcoder = transcoder(func(*core.TranscodeJob) (*core.TranscodeResult,
					error) {
					return tc.work(cancel)
				})
			})
			seg := n.admitPaid(n.payerToken(), 1)
			if pay.Open() != 1 {
				t.Error("no money was put aside")
			}
			func() {
				defer func() { _ = recover() }()
				defer seg.Close()
				tc.run(ctx, seg)
			}()
			seg.Close()
			if pay.Open() != 0 || len(pay.Work()) != tc.billed {
				t.Errorf("%d holds, billed %v", pay.Open(), pay.Work())
			}
		})
	}
}

func transcode(ctx context.Context, seg *orchestrate.Segment) { _, _ = seg.Transcode(ctx, nil) }
