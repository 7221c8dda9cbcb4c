package hls_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/gateway/hls"
)

// run plays a script: "+3" segment 3 arrives, "3" it finishes, "!3" it fails.
// The result is what was published, in order.
func run(script string) string {
	var o hls.Order
	var out []string
	pending := map[string][]*hls.PendingSegment{}
	for _, step := range strings.Fields(script) {
		name := strings.TrimLeft(step, "+!")
		var n int
		fmt.Sscan(name, &n)
		if step[0] == '+' {
			pending[name] = append(pending[name], o.Begin(core.SegmentNumber(n)))
			continue
		}
		seg := &hls.Segment{Number: core.SegmentNumber(n)}
		if step[0] == '!' {
			seg = nil
		}
		p := pending[name][0]
		pending[name] = pending[name][1:]
		o.Finish(p, seg, func(s hls.Segment) { out = append(out, fmt.Sprint(s.Number)) })
	}
	return strings.Join(out, " ")
}

func TestOrder(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ script, want string }{
		"one after another":                {"+1 1 +2 2 +3 3", "1 2 3"},
		"finished out of order":            {"+1 +2 +3 3 2 1", "1 2 3"},
		"arrived out of order":             {"+2 +1 2 1", "1 2"},
		"a failure does not hold":          {"+1 +2 2 !1", "2"},
		"a gap does not hold":              {"+1 1 +5 5", "1 5"},
		"a straggler is left out":          {"+1 1 +3 3 +2 2 +4 4", "1 3 4"},
		"a repeat is left out":             {"+1 1 +2 2 +2 2 +3 3", "1 2 3"},
		"numbers begin anew at 0":          {"+5 5 +6 6 +0 0 +1 1", "5 6 0 1"},
		"numbers begin anew far below":     {"+50 50 +1 1 +2 2", "50 1 2"},
		"numbers begin anew, seen late":    {"+9 9 +3 3 +4 4 +5 5", "9 4 5"},
		"two stragglers in order":          {"+1 +2 +3 +4 4 1 2 3", "1 2 3 4"},
		"old ones finish after a new turn": {"+50 +51 +0 0 50 51 +1 1", "50 51 0 1"},
	} {
		if got := run(row.script); got != row.want {
			t.Errorf("%s: %s, want %s", name, got, row.want)
		}
	}
}

// TestWhatWaitsIsBounded: finished segments wait for an earlier one as long as they fit into a
// stream's window, and give their memory back once each.
func TestWhatWaitsIsBounded(t *testing.T) {
	t.Parallel()
	const segments, size, window = 20, 16 << 20, 128 << 20
	var o hls.Order
	var out []string
	publish := func(s hls.Segment) { out = append(out, fmt.Sprint(s.Number)) }
	held, data := 0, make([]byte, size)
	first := o.Begin(1)
	for n := range segments {
		p := o.Begin(core.SegmentNumber(n + 2))
		held++
		o.Finish(p, &hls.Segment{Number: core.SegmentNumber(n + 2), Data: [][]byte{data}, Release: func() { held-- }},
			publish)
		if held > window/size+1 {
			t.Fatalf("%d segments wait", held)
		}
	}
	if want := "2 3 4"; !strings.HasPrefix(strings.Join(out, " "), want) {
		t.Errorf("published %v", out)
	}
	held++
	o.Finish(first, &hls.Segment{Number: 1, Release: func() { held-- }}, publish)
	if held != 0 || len(out) != segments {
		t.Errorf("%d are held, %v are published", held, out)
	}
}

// TestFailuresThatWaitAreBounded: segments that failed do not pile up behind an earlier one.
func TestFailuresThatWaitAreBounded(t *testing.T) {
	t.Parallel()
	const segments, most = 5000, 1024
	var o hls.Order
	var out []core.SegmentNumber
	publish := func(s hls.Segment) { out = append(out, s.Number) }
	o.Begin(1)
	o.Finish(o.Begin(2), &hls.Segment{Number: 2}, publish)
	for n := range segments {
		if o.Finish(o.Begin(core.SegmentNumber(n+3)), nil, publish); n < most/2 && len(out) > 0 {
			t.Fatal("a few are too many")
		}
	}
	if len(out) != 1 {
		t.Errorf("published %v", out)
	}
}
