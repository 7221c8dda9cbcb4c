package node

import (
	"fmt"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/test/gpu/card"
)

// takesAgainIn is how long after a drain's end new streams may still be refused: a
// gateway asks again after a while only.
const takesAgainIn = 20 * time.Second

// drained empties the node by tutti_cli while a stream runs, and takes work again.
func (r *rig) drained() {
	f := r.film("stream0", 0)
	f.answered(1)
	spare := r.spare()
	_, err := r.cli("--yes", "drain")
	if !card.NoError(r, err, "tutti_cli drain", "") {
		return
	}
	var d adminapi.Drain
	err = r.read(adminapi.PathDrain, &d)
	card.CheckThat(r, err == nil && d.State == adminapi.DrainDraining && d.Sessions > 0, "the drain",
		"draining, with the stream's session", fmt.Sprintf("%+v, %v", d, err), "")
	asked := len(r.proc.Log())
	o := r.send("comes")
	card.CheckThat(r, o.refused(), "a new stream while the node drains", "refused with status 503", fmt.Sprint(o.err),
		milliseconds(o.took))
	_, named := r.within(logTime, func() bool { return strings.Contains(r.proc.Log()[asked:], "Draining") })
	card.CheckThat(r, named, "the refusal of a new stream while the node drains", "named Draining in the log",
		fmt.Sprint(named), "")
	f.answered(len(f.so()) + 2)
	r.whole("a stream that was there before the drain", f.so())
	text, err := r.cli("drain", "--dry-run")
	card.CheckThat(r, err == nil && strings.Contains(text, adminapi.DrainDraining), "tutti_cli drain --dry-run",
		"draining",
		cut(fmt.Sprint(text, err)), "")
	_, err = r.cli("--yes", "drain", "--cancel")
	if !card.NoError(r, err, "tutti_cli drain --cancel", "") {
		return
	}
	limit := takesAgainIn
	if !spare {
		limit = time.Second
	}
	asked = len(r.proc.Log())
	last, took := r.taken("again", limit)
	const what = "a new stream after the drain was canceled"
	if last.err != nil && (!spare || r.capped() || r.paced(asked)) {
		card.SkipCheck(r, what, noSpare)
	} else {
		card.CheckThat(r, last.err == nil, what, "within "+takesAgainIn.String(), fmt.Sprint(last.err), seconds(took))
	}
	r.whole("the stream over drain and resume", f.stop())
}
