package node

import (
	"encoding/json"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/test/gpu/card"
	"github.com/tuttinode/tutti/test/harness"
)

// TestCardUpgrade puts another process in the orchestrator's place while streams run. The
// gateway is a process of its own, as upgrades are meant for.
func TestCardUpgrade(t *testing.T) {
	c := card.Open(t)
	parallel(t, c)
	if late(t) {
		return
	}
	r := startBy(t, c, formOf(c), beginApart)
	streams := 1
	if c.Real() {
		streams = min(2, r.form.streams)
	}
	all := r.films(r.admitted(streams), 0)
	for _, f := range all {
		f.answered(1)
	}
	begun := time.Now()
	pid, err := r.upgrade()
	if !card.NoError(t, err, "tutti_cli upgrade", seconds(time.Since(begun))) {
		return
	}
	old := r.pid
	r.pid = pid
	took, ok := r.within(readyIn, func() bool { return r.ready() && len(mediaWorkers(pid)) == 1 })
	card.CheckThat(t, ok, "the GPU in the new process", "gets sessions within "+readyIn.String(), r.explain(),
		seconds(took))
	_, gone := r.within(readyIn, func() bool { return parent(old) == 0 })
	card.CheckThat(t, gone, "the old process", "ends", fmt.Sprintf("ended %v, its media workers %v", gone,
		mediaWorkers(old)), "")
	var done outcomes
	for _, f := range all {
		f.answered(len(f.so()) + 2)
		done = append(done, f.stop()...)
	}
	r.over(done, begun)
	w := r.look()
	card.CheckThat(t, w != nil && w.Done > 0 && w.Failed == 0, "the GPU's worker in the new process",
		"segments done, none failed", fmt.Sprintf("%+v", w), "")
}

// longestGap is how long streams may be without an answer over an upgrade on the simulated
// driver and a fast machine: the old process closes its parts and the new one opens them,
// while the workers of the GPU are up already.
const longestGap = 3 * time.Second

// over checks streams over an upgrade. The GPU's worker in the new process is up before
// the old one takes no more segments, so that none is refused.
func (r *rig) over(all outcomes, begun time.Time) {
	r.whole("streams over the upgrade", all)
	longest, allowed := gap(all, begun), harness.Stretch(longestGap)
	what, detail := "the longest time without an answer over the upgrade", fmt.Sprintf("%d segments", len(all))
	if r.card.Real() {
		card.RecordCheck(r, what, detail, milliseconds(longest))
		return
	}
	card.CheckThat(r, longest < allowed, what, "less than "+allowed.String(), detail, milliseconds(longest))
}

// upgrade has tutti_cli upgrade the node, and ends the new process with the test.
func (r *rig) upgrade() (pid int, err error) {
	text, err := r.cli("--yes", "--json", "upgrade")
	if err != nil {
		return 0, err
	}
	var u adminapi.Upgrade
	if err := json.Unmarshal([]byte(text), &u); err != nil {
		return 0, err
	}
	r.Cleanup(func() { _ = syscall.Kill(u.PID, syscall.SIGKILL) })
	return u.PID, nil
}

// gap is the longest time between two answers after a moment, that to the first
// included.
func gap(all outcomes, after time.Time) (longest time.Duration) {
	last := after
	for _, o := range all.inOrder() {
		if end := o.begun.Add(o.took); o.err == nil && end.After(after) {
			longest = max(longest, end.Sub(last))
			last = end
		}
	}
	return longest
}
