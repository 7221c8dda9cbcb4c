package orchestrate_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/pm"
)

// ordered is what the ladder's two seconds are estimated at.
var ordered = int64(core.EstimatePixels(ladder, 2*time.Second))

// worker is a transcoder that sees its context.
type worker func(context.Context) error

func (f worker) Transcode(ctx context.Context, _ *core.TranscodeJob) (*core.TranscodeResult, error) {
	return nil, f(ctx)
}
func (worker) EndSession(core.SessionID) {}

// leaves is when a test's gateway goes away; forever is longer than any deadline.
const (
	leaves  = 3 * time.Second
	forever = time.Hour
)

// TestInterruptedSegments: the cause of the end decides whether work is billed.
func TestInterruptedSegments(t *testing.T) {
	t.Parallel()
	after := func(d time.Duration, err error) worker {
		return func(ctx context.Context) error {
			select {
			case <-time.After(d):
				return err
			case <-ctx.Done():
				return err
			}
		}
	}
	ends := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	code := func(c fault.Code) error { return fault.New(c, "transcode", "") }
	for name, tc := range map[string]struct {
		work   worker
		stay   time.Duration
		billed bool
	}{
		"the gateway leaves":                       {ends, leaves, true},
		"it leaves, a worker says so":              {after(forever, code(fault.TranscoderStopped)), leaves, true},
		"the deadline passes":                      {ends, forever, true},
		"the deadline passes, the pool reports it": {after(forever, code(fault.TranscodeTimeout)), forever, true},
		"a worker crashes":                         {after(time.Second, code(fault.WorkerCrashed)), forever, false},
		"a worker crashes as its gateway leaves":   {after(forever, code(fault.WorkerCrashed)), leaves, false},
		"a worker hangs, and is killed":            {after(time.Second, code(fault.TranscodeTimeout)), forever, false},
		"a device is lost":                         {after(time.Second, code(fault.UnrecoverableState)), forever, false},
		"the worker stops":                         {after(time.Second, code(fault.TranscoderStopped)), forever, false},
		"the input is bad":                         {after(time.Second, code(fault.InvalidData)), forever, false},
		"a remote worker hangs":                    {after(forever, code(fault.RemoteWorkerTimeout)), forever, false},
		"its gateway counts faster":                {after(forever, code(fault.RemoteWorkerTimeout)), leaves, false},
		"a remote worker is lost":                  {after(forever, code(fault.RemoteWorkerLost)), forever, false},
		"a device is lost at the end":              {after(forever, code(fault.UnrecoverableState)), forever, false},
		"the media worker is silent":               {after(forever, code(fault.WorkerUnresponsive)), forever, false},
		"the media worker is full":                 {after(forever, code(fault.WorkerOutOfMemory)), forever, false},
		"the media worker does not come back":      {after(forever, code(fault.WorkerStartFailed)), forever, false},
		"the media worker was replaced":            {after(forever, code(fault.WorkerReplaced)), forever, false},
		"the media worker is in quarantine":        {after(forever, code(fault.WorkerQuarantined)), forever, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n, pay := paidNode(t, func(o *orchestrate.Options) { o.Now, o.Transcoder = time.Now, tc.work })
				seg := n.admitPaid(n.payerToken(), 1)
				ctx, cancel := context.WithTimeoutCause(t.Context(), forever, nil)
				defer cancel()
				defer time.AfterFunc(tc.stay, cancel).Stop()
				if _, err := seg.Transcode(ctx, []byte("segment")); err == nil {
					t.Error("no error")
				}
				seg.Close()
				var want []pm.Work
				if tc.billed {
					want = []pm.Work{{Units: ordered}}
				}
				if got := pay.Work(); !slices.Equal(got, want) {
					t.Errorf("billed %+v, want %+v", got, want)
				}
			})
		})
	}
}

// TestGoingAwayIsNoWayToWorkForNothing: after one segment that it left, a gateway of
// one ticket gets no other.
func TestCanceledWorkIsBilled(t *testing.T) {
	t.Parallel()
	var cancel context.CancelFunc
	worked := 0
	n, _ := paidNode(t, func(o *orchestrate.Options) {
		o.Transcoder = worker(func(context.Context) error { worked++; cancel(); return context.Canceled })
	})
	tok := n.payerToken()
	for i := range 20 {
		var ctx context.Context
		ctx, cancel = context.WithCancel(t.Context())
		tickets := 0
		if i == 0 {
			tickets = 1
		}
		seg, err := n.Admit(ctx, paidRequest(tok, tickets))
		if err == nil {
			_, err = seg.Transcode(ctx, nil)
			seg.Close()
		}
		cancel()
		if want := fault.InsufficientBalance; i > 0 && fault.CodeOf(err) != want {
			t.Fatalf("segment %d: %v", i, err)
		}
	}
	if worked != 1 {
		t.Errorf("%d segments were worked on", worked)
	}
}

// TestLateTurn: the deadline of a segment that got little of its time is as likely
// our fault as its own.
func TestLateTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, pay := paidNode(t, func(o *orchestrate.Options) {
			o.Now, o.Transcoder = time.Now, worker(func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
		})
		seg := n.admitPaid(n.payerToken(), 1)
		defer seg.Close()
		<-time.After(5 * time.Second) // of the test's own clock
		if _, err := seg.Transcode(t.Context(), nil); fault.CodeOf(err) != fault.DeadlineExceeded {
			t.Error(err)
		}
		if got := pay.Work(); len(got) != 0 {
			t.Errorf("billed %+v for the rest of its time", got)
		}
	})
}

// TestOurOwnStop: a gateway that is cut off did not leave.
func TestCutoffIsNotBilled(t *testing.T) {
	t.Parallel()
	var cut func()
	n, pay := paidNode(t, func(o *orchestrate.Options) {
		o.Transcoder = worker(func(ctx context.Context) error { cut(); return ctx.Err() })
	})
	ctx, cancel := context.WithCancel(t.Context())
	cut = func() { n.Cut(); cancel() }
	seg := n.admitPaid(n.payerToken(), 1)
	defer seg.Close()
	if _, err := seg.Transcode(ctx, nil); err == nil || len(pay.Work()) != 0 {
		t.Errorf("%v, billed %+v", err, pay.Work())
	}
}

// TestLeftJobs: a job whose gateway goes before the answer begins is billed once its
// runner has it, and never for what the runner did not manage.
func TestLeftJobs(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		leaves, before, cut bool
		err                 error
		billed              bool
	}{
		"it leaves":                     {leaves: true, err: context.Canceled, billed: true},
		"it left before":                {before: true, err: context.Canceled},
		"it leaves, the runner breaks":  {leaves: true, err: fault.New(fault.RunnerBroke, "run", "")},
		"the runner is too slow":        {err: fault.New(fault.RunnerStalled, "run", "")},
		"the runner's own end of time":  {err: context.DeadlineExceeded},
		"the node stops, and cuts it":   {leaves: true, cut: true, err: context.Canceled},
		"the runner cannot be reached":  {err: fault.New(fault.RunnerUnreachable, "run", "")},
		"nothing is wrong but the word": {err: errors.New("canceled")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pay := paying()
			n, w := aiNode(t, ready(1), func(o *orchestrate.Options) { o.Payments, o.Signatures = pay, signatures{} })
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			w.Answer = func(context.Context, *inference.Job) (*inference.Reply, error) {
				if tc.cut {
					n.Cut()
				}
				if tc.leaves {
					cancel()
				}
				return nil, tc.err
			}
			j, err := n.AdmitJob(ctx, paidJob(t, n.jobToken(t), 1))
			if err != nil {
				t.Fatal(err)
			}
			if tc.before {
				cancel()
			}
			if _, err := j.Run(ctx); err == nil {
				t.Error("no error")
			}
			j.Produced(3)
			j.Close()
			var want []pm.Work
			if tc.billed {
				want = []pm.Work{{Units: 100}}
			}
			if got := pay.Work(); !slices.Equal(got, want) || len(pay.Produced()) != 0 || pay.Open() != 0 {
				t.Errorf("billed %+v, want %+v; produced %v; %d holds", got, want, pay.Produced(), pay.Open())
			}
		})
	}
}

// TestFullResultCacheBeforeWork: results that could not be stored are not made, nor billed.
func TestFullResultCacheBeforeWork(t *testing.T) {
	t.Parallel()
	n, pay := paidNode(t, func(o *orchestrate.Options) { o.ResultBytes = 1000 })
	seg := n.admitPaid(n.payerToken(), 1)
	defer seg.Close()
	_, err := seg.Transcode(t.Context(), make([]byte, 1001))
	wantCode(t, err, fault.ResultsFull)
	if len(pay.Work()) != 0 {
		t.Errorf("billed %+v", pay.Work())
	}
}
