package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/protocol"
)

var trying = regexp.MustCompile(`The node does not answer; trying until \d\d:\d\d\.`)

// A node that falls silent while a transaction is followed is reported once, and
// followed on when it is back.
func TestNodeGoesAwayWhileFollowing(t *testing.T) {
	t.Parallel()
	o := newTool(t)
	o.node.hold = true
	left := false
	o.node.onLook = func(txs []adminapi.Transaction) {
		switch {
		case len(txs) == 0:
		case !left:
			left, o.node.away = true, 3
		default:
			txs[0].State = protocol.TxMined
		}
	}
	status, _, errs := o.run("round", "initialize", "--yes")
	if status != exitOK || len(trying.FindAllString(errs, -1)) != 1 ||
		strings.Count(errs, "The node answers again.") != 1 {
		t.Errorf("%d %s", status, errs)
	}
}

// A step whose answer breaks off is looked for, and the plan goes on behind it.
func TestNodeGoesAwayDuringAStep(t *testing.T) {
	t.Parallel()
	o := newTool(t)
	o.node.abort = true
	o.node.onLook = func(txs []adminapi.Transaction) {
		if len(txs) == 0 {
			o.node.away = 3
		}
	}
	status, out, errs := o.run(strings.Fields(activation)...)
	if status != exitOK || len(trying.FindAllString(errs, -1)) != 1 || !strings.Contains(out, "from round 8 on") {
		t.Errorf("%d %s%s", status, out, errs)
	}
	if n := strings.Count(o.node.requests(), adminapi.PathActivate); n != 3 {
		t.Errorf("%d steps were asked for", n)
	}
}

// What may have been sent is never called not done, nor to be run again.
func TestNodeStaysAwayDuringAStep(t *testing.T) {
	t.Parallel()
	o := newTool(t)
	o.node.abort = true
	o.node.onLook = func([]adminapi.Transaction) { o.node.away = 1 << 30 }
	status, out, errs := o.run(append(strings.Fields(activation), "--timeout", "300ms")...)
	if status != exitTimedOut || out != "" || !strings.Contains(errs,
		"OutcomeUnknown: step 1 of 3 (bond 1000 LPT to your own address) may have been sent") {
		t.Errorf("%d %s%s", status, out, errs)
	}
	for _, not := range []string{"was not done", "run the same again", "send it again"} {
		if strings.Contains(errs, not) {
			t.Errorf("%q in %s", not, errs)
		}
	}
}
