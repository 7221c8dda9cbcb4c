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
	places := map[string][]*hls.Place{}
	for _, step := range strings.Fields(script) {
		name := strings.TrimLeft(step, "+!")
		var n int
		fmt.Sscan(name, &n)
		if step[0] == '+' {
			places[name] = append(places[name], o.Begin(core.SegmentNumber(n)))
			continue
		}
		seg := &hls.Segment{Number: core.SegmentNumber(n)}
		if step[0] == '!' {
			seg = nil
		}
		p := places[name][0]
		places[name] = places[name][1:]
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
