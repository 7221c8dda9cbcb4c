package orchestrate_test

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
)

// wasting is a gateway whose segments take a given time before they fail, if they
// do; it is over once it is refused.
type failingGateway struct {
	*node
	t    *testing.T
	took time.Duration
	err  error
}

func newFailingGateway(t *testing.T) *failingGateway {
	w := &failingGateway{t: t}
	n, pay := paidNode(t, func(o *orchestrate.Options) {
		o.Now, o.Limit = time.Now, 0
		o.Transcoder = transcoder(func(*core.TranscodeJob) (*core.TranscodeResult, error) {
			<-time.After(w.took) // of the test's own clock
			good := core.Rendition{Data: make([]byte, 100), Pixels: 1}
			return &core.TranscodeResult{Renditions: []core.Rendition{good, good}}, w.err
		})
	})
	pay.EV = core.Wei{}
	w.node = n
	return w
}

// send is one segment; false says that it was refused.
func (w *failingGateway) send(took time.Duration, err error) bool {
	w.t.Helper()
	w.took, w.err = took, err
	seg, refused := w.Admit(w.t.Context(), paidRequest(w.payerToken(), 1))
	if refused != nil {
		wantCode(w.t, refused, fault.InputKeepsFailing)
		if got := fault.Wire(refused); got != "OrchestratorCapped" {
			w.t.Errorf("gateways get %q", got)
		}
		return false
	}
	defer seg.Close()
	if _, got := seg.Transcode(context.Background(), nil); !errors.Is(got, err) {
		w.t.Errorf("%v, want %v", got, err)
	}
	return true
}

// oneOpinion is what a single transcoder elsewhere says of a segment.
var oneOpinion = fault.Wrap(fault.InvalidData, "decode", orchestrate.ErrUnconfirmed)

// TestWaste: input that fails late is worked on for half a minute, and again when
// that has worn off.
func TestUnbilledWorkLimit(t *testing.T) {
	t.Parallel()
	bad := fault.New(fault.InvalidData, "decode", "")
	for name, tc := range map[string]struct {
		send func(w *failingGateway) bool
		want int // of 100 segments
	}{
		"fails late":    {func(w *failingGateway) bool { return w.send(6*time.Second, bad) }, 6},
		"fails at once": {func(w *failingGateway) bool { return w.send(0, bad) }, 100},
		"empty renditions": {func(w *failingGateway) bool {
			return w.send(6*time.Second,
				fault.New(fault.ZeroSegments, "", ""))
		}, 6},
		"one rig's opinion": {func(w *failingGateway) bool { return w.send(6*time.Second, oneOpinion) }, 100},
		"the device fails": {func(w *failingGateway) bool {
			return w.send(6*time.Second,
				fault.New(fault.WorkerCrashed, "", ""))
		}, 100},
		"made up for": {func(w *failingGateway) bool {
			return w.send(2*time.Second, bad) &&
				w.send(4*time.Second, nil)
		}, 100},
		"not quite made up for": {func(w *failingGateway) bool {
			return w.send(4*time.Second, bad) &&
				w.send(time.Second, nil)
		}, 8},
		"now and then, it fades": {func(w *failingGateway) bool {
			<-time.After(2 * time.Minute)
			return w.send(6*time.Second, bad)
		}, 100},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newFailingGateway(t)
				n := 0
				for n < 100 && tc.send(w) {
					n++
				}
				if n != tc.want {
					t.Errorf("%d segments, want %d", n, tc.want)
				}
				<-time.After(10 * time.Minute)
				if !tc.send(w) {
					t.Error("never forgotten")
				}
			})
		})
	}
}

// TestUnbilledWorkIsBounded: memory stays flat, and the party with the most is the
// last to be forgotten.
func TestUnbilledWorkIsBounded(t *testing.T) {
	t.Parallel()
	var w orchestrate.UnbilledWork
	now := time.Unix(1_700_000_000, 0)
	const worst = "worst"
	w.Add(worst, time.Minute, now)
	for i := range 3000 {
		w.Add(strconv.Itoa(i), time.Second, now)
	}
	if n := w.Len(); n != 1024 || !w.OverLimit(worst, now) {
		t.Errorf("%d gateways are remembered", n)
	}
}
