package main

import (
	"context"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/placement"
)

// settling is how long after the start nobody is missed: devices are tested and workers
// come back first.
const settling = 15 * time.Second

// readiness looks once, when everything has had time to begin, whether somebody is
// there to transcode. Later changes tell of themselves.
type readiness struct{ n *node }

// Name is the component's name.
func (*readiness) Name() string { return "readiness" }

// Run waits, looks and waits for the end.
func (r *readiness) Run(ctx context.Context, ready func()) error {
	ready()
	timer := time.NewTimer(settling)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return nil
	case <-timer.C:
	}
	r.n.settled.Store(true)
	r.n.reportTranscoders()
	<-ctx.Done()
	return nil
}

// reportTranscoders reports it while no device is ready to transcode, with the reasons.
func (n *node) reportTranscoders() {
	key := health.Key{Code: fault.NoTranscoders}
	if n.media == nil || n.media.Ready() > 0 {
		n.Board.Clear(key)
		return
	}
	if !n.settled.Load() {
		return
	}
	var why []string
	for _, u := range n.media.Devices() {
		why = append(why, shown(&u)+" is "+u.State+because(&u))
	}
	if len(why) == 0 {
		why = []string{"no device is attached and no transcoder has registered"}
	}
	n.Board.Set(key, strings.Join(why, "; "))
}

func because(u *placement.Use) string {
	if u.Code == "" {
		return ""
	}
	return " (" + string(u.Code) + ")"
}
