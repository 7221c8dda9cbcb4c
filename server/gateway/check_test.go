package gateway_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/selectionweights"
	"github.com/tuttinode/tutti/server/gateway"
	"github.com/tuttinode/tutti/server/rpc"
)

// frame is a real segment of 320×180, which serves as its own rendition.
func picture(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile("verify/testdata/h264.ts")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func verifying(o *gateway.Options) {
	o.LocalVerify = true
	o.Profiles = []core.Profile{{Name: "same", Width: 320, Height: 180, Bitrate: 1},
		{Name: "again", Width: 320, Height: 180, Bitrate: 1}}
}

// wantFrame checks that both renditions came.
func (a *answer) wantFrame(t testing.TB, data []byte) {
	t.Helper()
	if a.status != http.StatusOK || len(a.parts) != 2 || !bytes.Equal(a.parts[0].data, data) ||
		!bytes.Equal(a.parts[1].data, data) {
		t.Fatalf("status %d code %s text %q, %d parts", a.status, a.code, a.text, len(a.parts))
	}
}

// TestLiesAreNotTaken has the orchestrator with all the stake lie.
func TestLiesAreNotTaken(t *testing.T) {
	t.Parallel()
	data := picture(t)
	for name, row := range map[string]struct {
		lie    func(o *fakeOrchestrator)
		result func(*rpc.TranscodeData)
		want   fault.Code
	}{
		"more pixels":     {nil, func(d *rpc.TranscodeData) { d.Segments[1].Pixels++ }, fault.PixelsMismatch},
		"less pixels":     {nil, func(d *rpc.TranscodeData) { d.Segments[0].Pixels = 0 }, fault.PixelsMismatch},
		"no signature":    {nil, func(d *rpc.TranscodeData) { d.Sig = nil }, fault.ResultSignature},
		"other bytes":     {nil, func(d *rpc.TranscodeData) { d.Sig[5]++ }, fault.ResultSignature},
		"smaller":         {func(o *fakeOrchestrator) { o.made = small(t) }, nil, fault.RenditionSize},
		"no media":        {nil, nil, fault.RenditionUnreadable},
		"the whole frame": {nil, func(d *rpc.TranscodeData) { d.Segments[0].Url = d.Segments[1].Url }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dishonest, honest := newStaked(t, 1e6, 1), newStaked(t, 0, 1)
			dishonest.made, honest.made = data, data
			if row.lie != nil {
				row.lie(dishonest.fakeOrchestrator)
			}
			if row.want == fault.RenditionUnreadable {
				dishonest.made = nil
			}
			dishonest.set(behavior{result: row.result})
			n := onChain(t, []staked{dishonest, honest}, verifying,
				func(o *gateway.Options) { o.Selection.Weights = selectionweights.Weights{Stake: 1} })
			n.push("/live/show/0.ts", data).wantFrame(t, data)
			status := n.status(dishonest.uri)
			if row.want == "" {
				if status.Barred || len(honest.seen()) != 0 {
					t.Errorf("a good result was refused: %+v", status)
				}
				return
			}
			if len(dishonest.seen()) != 1 || len(honest.seen()) != 1 || n.events.count("retried 2") != 1 {
				t.Errorf("%d and %d segments", len(dishonest.seen()), len(honest.seen()))
			}
			if !status.Barred || status.Code != row.want || status.Until.Sub(n.clock.Now()) < 9*time.Minute {
				t.Errorf("%+v, want barred for %s", status, row.want)
			}
			n.push("/live/other/0.ts", data).wantFrame(t, data)
			if len(dishonest.seen()) != 1 {
				t.Error("another stream uses the liar")
			}
		})
	}
}

// small is a real rendition of another size.
func small(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile("verify/testdata/hevc_open.ts")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestALiarAloneIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	data := picture(t)
	dishonest := newStaked(t, 1, 1)
	dishonest.made = data
	dishonest.set(behavior{result: func(d *rpc.TranscodeData) { d.Segments[0].Pixels *= 2 }})
	n := onChain(t, []staked{dishonest}, verifying)
	n.push("/live/show/0.ts", data).wantFault(t, http.StatusUnprocessableEntity, fault.AttemptsExhausted)
	a := n.push("/live/show/1.ts", data)
	a.wantFault(t, http.StatusServiceUnavailable, fault.NoSessionsAvailable)
	if len(dishonest.seen()) != 1 {
		t.Errorf("it got %d segments", len(dishonest.seen()))
	}
	dishonest.set(behavior{})
	n.clock.Forward(10*time.Minute + time.Second)
	n.push("/live/new/0.ts", data).wantFrame(t, data)
}

// TestVerifyingWithoutAChain checks pixels and sizes only, because there is no signature.
func TestVerifyingWithoutAChain(t *testing.T) {
	t.Parallel()
	data := picture(t)
	a, b := newFake(t), newFake(t)
	a.made, b.made = data, data
	a.set(behavior{result: func(d *rpc.TranscodeData) { d.Segments[0].Pixels++ }})
	n := start(t, []string{a.uri}, verifying)
	n.push("/live/show/0.ts", data).wantFault(t, http.StatusUnprocessableEntity, fault.AttemptsExhausted)
	n = start(t, []string{b.uri}, verifying)
	n.push("/live/show/0.ts", data).wantFrame(t, data)
}

// Results may be hashed with SHA-256 where both nodes are of this implementation, and only there.
func TestResultsMayBeHashedWithSHA256(t *testing.T) {
	t.Parallel()
	data := picture(t)
	for name, row := range map[string]struct {
		node    string
		signs   bool
		accepts bool
		result  func(*rpc.TranscodeData)
		good    bool
	}{
		"own nodes":                {"tutti/9.9.9", true, true, nil, true},
		"an older node of ours":    {"tutti/0.0.1", false, true, nil, true},
		"a node of the network":    {"", true, false, nil, true},
		"other bytes":              {"tutti/9.9.9", true, true, func(d *rpc.TranscodeData) { d.Sig[5]++ }, false},
		"the other kind of hash":   {"tutti/9.9.9", false, true, func(d *rpc.TranscodeData) { d.Sha256 = true }, false},
		"the other kind, not told": {"tutti/9.9.9", true, true, func(d *rpc.TranscodeData) { d.Sha256 = false }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newStaked(t, 1, 1)
			o.made = data
			o.set(behavior{sha256: row.signs, node: row.node, result: row.result})
			n := onChain(t, []staked{o}, verifying)
			a := n.push("/live/show/0.ts", data)
			if row.good {
				a.wantFrame(t, data)
			} else if status := n.status(o.uri); status.Code != fault.ResultSignature {
				t.Errorf("%+v", status)
			}
			if seen := o.seen(); len(seen) != 1 || seen[0].AcceptsSHA256 != row.accepts {
				t.Errorf("%+v", seen)
			}
		})
	}
}

// BenchmarkChecked sends a segment with two renditions of about 1 MB, unchecked and
// checked in turn, and reports by how much the median differs.
func BenchmarkChecked(b *testing.B) {
	hd, err := os.ReadFile("verify/testdata/hd.ts")
	if err != nil {
		b.Fatal(err)
	}
	data := bytes.Repeat(hd, 1_000_000/len(hd)+1)
	o := newStaked(b, 1, 1)
	o.made = data
	var nodes []*node
	for _, on := range []bool{false, true} {
		nodes = append(nodes, onChain(b, []staked{o}, func(opt *gateway.Options) {
			opt.LocalVerify = on
			opt.Profiles = []core.Profile{{Name: "same", Width: 1920, Height: 1080}, {Name: "again", Width: 1920, Height: 1080}}
		}))
	}
	var took [2][]time.Duration
	for i := 0; b.Loop(); i++ {
		for k, n := range nodes {
			begin := time.Now()
			if a := n.push(fmt.Sprintf("/live/show/%d.ts", i), data); a.status != http.StatusOK {
				b.Fatal(a.status, a.text)
			}
			took[k] = append(took[k], time.Since(begin))
		}
	}
	var median [2]float64
	for k := range took {
		slices.Sort(took[k])
		median[k] = float64(took[k][len(took[k])/2].Microseconds()) / 1000
	}
	b.ReportMetric(median[0], "plain-ms")
	b.ReportMetric(median[1]-median[0], "added-ms")
}
