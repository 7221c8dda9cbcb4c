package node

import (
	"fmt"
	"syscall"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/test/gpu/card"
)

// The media worker is a process of its own, so that a driver that kills or stops it
// costs an attempt at a segment. A stopped one is found after a second without a sign
// of life; then it starts like one that died. What a driver needs for that is not in
// our hands, so the limits leave it time.
const (
	backIn     = 15 * time.Second
	backInHalt = backIn + time.Second
)

// killed ends the media worker in the middle of a segment.
func (r *rig) killed() { r.hurt(syscall.SIGKILL, "killed", backIn) }

// halted stops it, as a driver does that does not return from a call.
func (r *rig) halted() { r.hurt(syscall.SIGSTOP, "stopped", backInHalt) }

// hurt sends the media worker a signal under streams and looks how these go on.
func (r *rig) hurt(s syscall.Signal, word string, limit time.Duration) {
	before := mediaWorkers(r.pid)
	if len(before) != 1 {
		card.CheckThat(r, false, "the GPU's media worker", "one process", fmt.Sprintf("processes %v", before), "")
		return
	}
	all := r.films(r.admitted(min(2, r.form.streams)), 0)
	for _, f := range all {
		f.answered(1)
	}
	// The next segment of one of them: most often the worker has it then.
	r.within(5*time.Second, func() bool { w := r.look(); return w != nil && w.Segments > 0 })
	begun := time.Now()
	if err := syscall.Kill(before[0], s); !card.NoError(r, err, "the media worker is "+word, "") {
		return
	}
	_, ok := r.within(limit, func() bool {
		now := mediaWorkers(r.pid)
		return len(now) == 1 && now[0] != before[0]
	})
	card.CheckThat(r, ok, "another media worker after one was "+word, "within "+limit.String(),
		fmt.Sprintf("before %v, now %v", before, mediaWorkers(r.pid)),
		milliseconds(time.Since(begun)))
	r.goesOn(all, begun, word)
	r.within(limit, r.ready)
	card.CheckThat(r, r.ready(), "the GPU gets sessions again after its worker was "+word, "ready", r.explain(),
		seconds(time.Since(begun)))
}

// goesOn looks at streams whose worker was hurt: two more segments of each, and none
// lost or late.
func (r *rig) goesOn(all []*film, hurt time.Time, word string) {
	var done outcomes
	var first time.Time
	for _, f := range all {
		f.answered(len(f.so()) + 2)
		done = append(done, f.stop()...)
	}
	for _, o := range done {
		if end := o.begun.Add(o.took); o.err == nil && end.After(hurt) && (first.IsZero() || end.Before(first)) {
			first = end
		}
	}
	r.whole("streams whose media worker was "+word, done)
	_, slowest := done.times()
	limit := core.WorkDeadline(r.form.source.Segment)
	card.CheckThat(r, slowest > 0 && slowest < limit, "the slowest segment while the media worker was "+word,
		"within its deadline of "+limit.String(), milliseconds(slowest), milliseconds(slowest))
	if !first.IsZero() {
		card.RecordCheck(r, "the first segment after the media worker was "+word, "answered", milliseconds(first.Sub(hurt)))
	}
}
