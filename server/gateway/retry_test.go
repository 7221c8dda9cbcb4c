package gateway_test

import (
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway"
	"github.com/tuttinode/tutti/server/rpc"
)

func TestRetryElsewhere(t *testing.T) {
	t.Parallel()
	for name, bad := range map[string]behavior{
		"refused":              {status: 500, text: "Internal Server Error"},
		"capped":               {status: 403, text: "OrchestratorCapped"},
		"draining":             {status: 503, text: "Draining"},
		"busy":                 {err: "OrchestratorBusy"},
		"breaks off":           {breakOff: true},
		"nonsense":             {raw: []byte("\xff\xff nonsense")},
		"empty":                {raw: []byte{}},
		"one rendition less":   {result: func(d *rpc.TranscodeData) { d.Segments = d.Segments[:1] }},
		"one rendition more":   {result: func(d *rpc.TranscodeData) { d.Segments = append(d.Segments, d.Segments[0]) }},
		"download not there":   {downloadStatus: 404},
		"download cut short":   {downloadShort: true},
		"download elsewhere":   {result: func(d *rpc.TranscodeData) { d.Segments[0].Url = "file:///etc/passwd" }},
		"download from inside": {result: func(d *rpc.TranscodeData) { d.Segments[0].Url = "http://localhost:1/x" }},
		"near miss of a text":  {err: "decode: Invalid argument"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := newFake(t), newFake(t)
			n := start(t, []string{a.uri, b.uri})
			n.push("/live/show/0.ts", media).want(t, media)
			first, second := a, b
			if len(a.seen()) == 0 {
				first, second = b, a
			}
			wait(t, "the other's offer", func() bool { return second.count(&second.tokens) > 0 })
			first.set(bad)
			n.push("/live/show/1.ts", media).want(t, media)
			if len(second.seen()) != 1 {
				t.Errorf("the other got %d segments", len(second.seen()))
			}
			first.set(behavior{})
			n.push("/live/show/2.ts", media).want(t, media)
			if len(second.seen()) != 2 {
				t.Error("the stream went back although it had moved")
			}
			for event, want := range map[string]int{"swapped": 1, "retried 2": 1, "failed": 0} {
				if got := n.events.count(event); got != want {
					t.Errorf("%d times %q, want %d", got, event, want)
				}
			}
			wait(t, "the left session's end", func() bool { return len(first.endedSessions()) == 1 })
		})
	}
}

func TestLateOrchestratorIsLeft(t *testing.T) {
	t.Parallel()
	a, b := newFake(t), newFake(t)
	n := start(t, []string{a.uri, b.uri})
	n.push("/live/show/0.ts", media).want(t, media)
	first, second := a, b
	if len(a.seen()) == 0 {
		first, second = b, a
	}
	wait(t, "the other's offer", func() bool { return second.count(&second.tokens) > 0 })
	first.set(behavior{acceptHang: true})
	n.push("/live/show/1.ts", media).want(t, media) // after 2 s
	if n.events.count("uploaded OrchestratorLate") != 1 {
		t.Errorf("no OrchestratorLate in %q", n.events.list())
	}
	wait(t, "the hung request's end", func() bool { return first.count(&first.canceled) == 1 })
}

// TestLateWorkIsNotRepeated: the only orchestrator takes longer for a segment than an attempt
// may take. It is waited for, and does not get the segment again while it is busy with it.
func TestLateWorkIsNotRepeated(t *testing.T) {
	t.Parallel()
	o := newFake(t)
	n := start(t, []string{o.uri})
	n.push("/live/show/0.ts", media).want(t, media)
	hold := make(chan struct{})
	o.set(behavior{hold: hold})
	over := time.AfterFunc(core.WorkDeadline(2*time.Second)+time.Second, func() { close(hold) })
	defer over.Stop()
	n.push("/live/show/1.ts", media).want(t, media)
	if got := len(o.seen()); got != 2 {
		t.Errorf("the orchestrator got %d segments for 2", got)
	}
	if o.count(&o.canceled) != 0 || n.events.count("retried") != 0 {
		t.Errorf("an attempt was given up: %q", n.events.list())
	}
}

func TestBadInputKeepsTheSession(t *testing.T) {
	t.Parallel()
	o := newFake(t)
	n := start(t, []string{o.uri})
	o.set(behavior{err: "No keyframes in input"})
	a := n.push("/live/show/0.ts", media)
	a.wantFault(t, http.StatusUnprocessableEntity, fault.SegmentNotTranscodable)
	if a.text != "No keyframes in input" {
		t.Errorf("text %q", a.text)
	}
	o.set(behavior{})
	n.push("/live/show/1.ts", media).want(t, media)
	segs := o.seen()
	if len(segs) != 2 || segs[0].Token.GetSessionId() != segs[1].Token.GetSessionId() {
		t.Errorf("%d segments, or another session", len(segs))
	}
	if n.events.count("retried") != 0 {
		t.Error("bad input was tried again")
	}
}

// TestNoMediaIsTriedOnce: bytes that begin like no container, and that an orchestrator says are no media, are the
// client's mistake; a file that the gateway knows may be readable elsewhere.
func TestNoMediaIsTriedOnce(t *testing.T) {
	t.Parallel()
	o := newFake(t)
	n := start(t, []string{o.uri})
	o.set(behavior{err: "Invalid data found when processing input"})
	n.push("/live/show/0.ts", []byte("hello")).wantFault(t, http.StatusUnprocessableEntity, fault.InputUnreadable)
	if got := len(o.seen()); got != 1 || n.events.count("retried") != 0 {
		t.Errorf("it was sent %d times", got)
	}
}

func TestOneOrchestratorAloneIsTriedAgain(t *testing.T) {
	t.Parallel()
	known, err := os.ReadFile("verify/testdata/h264.ts")
	if err != nil {
		t.Fatal(err)
	}
	o := newFake(t)
	n := start(t, []string{o.uri})
	o.set(behavior{err: "Invalid data found when processing input"})
	a := n.push("/live/show/0.ts", known)
	a.wantFault(t, http.StatusUnprocessableEntity, fault.AttemptsExhausted)
	if got := len(o.seen()); got != 3 {
		t.Errorf("%d attempts, want 3", got)
	}
	o.set(behavior{})
	n.push("/live/show/1.ts", media).want(t, media)
}

// An orchestrator without capacity proves nothing about the segment.
func TestSegmentWithoutCapacityAnywhere(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		last   behavior
		status int
		code   fault.Code
	}{
		"refused": {behavior{status: 403, text: "OrchestratorCapped"}, http.StatusServiceUnavailable,
			fault.NoSessionsAvailable},
		"in an answer": {behavior{err: "OrchestratorCapped"}, http.StatusServiceUnavailable,
			fault.NoSessionsAvailable},
		"behind": {behavior{err: "TranscoderBusy"}, http.StatusServiceUnavailable,
			fault.NoSessionsAvailable},
		"draining": {behavior{status: 403, text: "Draining"}, http.StatusServiceUnavailable,
			fault.NoSessionsAvailable},
		"failed": {behavior{err: "Cannot allocate memory"}, http.StatusUnprocessableEntity,
			fault.AttemptsExhausted},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := newFake(t), newFake(t)
			a.set(behavior{status: 403, text: "OrchestratorCapped"})
			b.set(row.last)
			n := start(t, []string{a.uri, b.uri})
			got := n.push("/live/show/0.ts", media)
			got.wantFault(t, row.status, row.code)
			if row.code == fault.NoSessionsAvailable && got.text != "No sessions available" {
				t.Errorf("text %q", got.text)
			}
		})
	}
}

func TestNoSessionsAvailable(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		b    behavior
		code string
	}{
		"capped": {behavior{discoveryError: "Invalid orchestrator request: OrchestratorCapped"},
			"OrchestratorCapped"},
		"refused":         {behavior{discoveryError: "authentication failed"}, "OrchestratorDeclined"},
		"no address":      {behavior{offer: func(i *rpc.OrchestratorInfo) { i.Transcoder = "" }}, "OrchestratorUnusable"},
		"no token":        {behavior{offer: func(i *rpc.OrchestratorInfo) { i.AuthToken = nil }}, "OrchestratorUnusable"},
		"no capabilities": {behavior{offer: func(i *rpc.OrchestratorInfo) { i.Capabilities = nil }}, "OrchestratorUnusable"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newFake(t)
			o.set(row.b)
			n := start(t, []string{o.uri, deadAddress(t)})
			a := n.push("/live/show/0.ts", media)
			a.wantFault(t, http.StatusServiceUnavailable, fault.NoSessionsAvailable)
			if a.text != "No sessions available" {
				t.Errorf("text %q", a.text)
			}
			if n.events.count("discovery "+row.code) != 1 || n.events.count("discovery OrchestratorUnreachable") != 1 {
				t.Errorf("events %v", n.events.all)
			}
		})
	}
}

func TestDiscoveryDoesNotWaitForTheSlow(t *testing.T) {
	t.Parallel()
	quick, hung := newFake(t), newFake(t)
	hung.set(behavior{discoveryHang: true})
	n := start(t, []string{hung.uri, deadAddress(t), quick.uri})
	n.push("/live/show/0.ts", media).want(t, media)
	if n.events.count("discovery OrchestratorSilent") != 0 {
		t.Error("the push waited for the silent one")
	}
}

func TestExpiredTokenIsRenewed(t *testing.T) {
	t.Parallel()
	o := newFake(t)
	n := start(t, []string{o.uri}, func(opt *gateway.Options) { opt.Limits.SweepEvery = time.Hour })
	n.push("/live/show/0.ts", media).want(t, media)
	n.clock.Forward(27*time.Minute - 50*time.Second)
	n.push("/live/show/1.ts", media).want(t, media)
	n.clock.Forward(50*time.Second + time.Second)
	o.expires = func() time.Time { return n.clock.Now().Add(30 * time.Minute) }
	n.push("/live/show/2.ts", media).want(t, media)
	segs := o.seen()
	last := len(segs) - 1
	if segs[0].Token.GetSessionId() != segs[1].Token.GetSessionId() {
		t.Error("the token was renewed too early")
	}
	if segs[last].Token.GetSessionId() == segs[last-1].Token.GetSessionId() {
		t.Error("the token was not renewed 3 minutes before its end")
	}
	if !slices.Contains(o.endedSessions(), segs[last-1].Token.GetSessionId()) {
		t.Error("the old session was not ended before the new one was used")
	}
}

func TestRefusedTokenIsReplaced(t *testing.T) {
	t.Parallel()
	o := newFake(t)
	n := start(t, []string{o.uri})
	n.push("/live/show/0.ts", media).want(t, media)
	o.set(behavior{status: 403, text: "expired auth token"})
	a := n.push("/live/show/1.ts", media)
	a.wantFault(t, http.StatusUnprocessableEntity, fault.AttemptsExhausted)
	o.set(behavior{})
	n.push("/live/show/2.ts", media).want(t, media)
}

func TestOrchestratorRestart(t *testing.T) {
	t.Parallel()
	o := newFake(t)
	n := start(t, []string{o.uri})
	n.push("/live/show/0.ts", media).want(t, media)
	o.server.CloseClientConnections() // every kept connection is dead
	n.push("/live/show/1.ts", media).want(t, media)
	if n.events.count("failed") != 0 {
		t.Error("a segment failed")
	}
}

// What no orchestrator can do is said to the client at once, by name, and is no want of
// orchestrators.
func TestWhatIsNotOffered(t *testing.T) {
	t.Parallel()
	const hevc = `{"profiles":[{"name":"small","width":320,"height":180,"encoder":"HEVC"}]}`
	one, other := newFake(t), newFake(t)
	n := start(t, []string{one.uri, other.uri})
	a := n.push("/live/show/0.ts", media, "Livepeer-Transcode-Configuration", hevc)
	a.wantFault(t, http.StatusUnprocessableEntity, fault.NotOffered)
	if !strings.Contains(a.text, "HEVC encode: offered by none of 2 orchestrators") {
		t.Errorf("text %q", a.text)
	}
	// One that does not answer may offer it.
	n = start(t, []string{one.uri, deadAddress(t)})
	a = n.push("/live/show/0.ts", media, "Livepeer-Transcode-Configuration", hevc)
	a.wantFault(t, http.StatusServiceUnavailable, fault.NoSessionsAvailable)
}

// An orchestrator that says that it has no time for a segment does not get it again. The
// stream keeps its session where there is no other orchestrator: a new one would come behind
// those of all others, if it came at all.
func TestBehindIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	o := newFake(t)
	n := start(t, []string{o.uri})
	n.push("/live/show/0.ts", media).want(t, media)
	// It takes no new sessions either.
	o.set(behavior{err: "TranscoderBusy", discoveryError: "OrchestratorCapped"})
	n.push("/live/show/1.ts", media).wantFault(t, http.StatusServiceUnavailable, fault.NoSessionsAvailable)
	if got := len(o.seen()); got != 2 {
		t.Errorf("%d segments were sent, want 2", got)
	}
	o.set(behavior{discoveryError: "OrchestratorCapped"})
	n.push("/live/show/2.ts", media).want(t, media)
	if segs := o.seen(); len(segs) != 3 || segs[2].Token.GetSessionId() != segs[0].Token.GetSessionId() {
		t.Errorf("%d segments, or another session", len(segs))
	}
	if len(o.endedSessions()) > 0 {
		t.Error("the session was ended")
	}
}

// A stream whose orchestrator has no time for it goes to one that has.
func TestBehindIsLeftForAnother(t *testing.T) {
	t.Parallel()
	o, other := newFake(t), newFake(t)
	other.set(behavior{discoveryError: "OrchestratorCapped"})
	n := start(t, []string{o.uri, other.uri})
	n.push("/live/show/0.ts", media).want(t, media)
	o.set(behavior{err: "TranscoderBusy"})
	other.set(behavior{})
	n.push("/live/show/1.ts", media).want(t, media)
	n.push("/live/show/2.ts", media).want(t, media)
	if got := len(o.seen()); got != 2 {
		t.Errorf("%d segments were sent to the one without time, want 2", got)
	}
	if got := len(other.seen()); got != 2 {
		t.Errorf("%d segments were sent to the other, want 2", got)
	}
}
