package adminview

import (
	"context"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/liverunner"
	"github.com/tuttinode/tutti/server/metrics"
)

// live is the server of live runners; nil on a node without them.
func (p *Parts) live() *liverunner.Server {
	if p.Orchestrator == nil {
		return nil
	}
	return p.Orchestrator.Live()
}

// liveRunners are the live runners, for the admin API.
type liveRunners struct{ p *Parts }

// Runners lists them in the order of their ids.
func (l liveRunners) Runners() (out []adminapi.LiveRunner) {
	for _, r := range l.p.live().Statuses() {
		one := adminapi.LiveRunner{
			ID: r.ID, Label: r.Spec.Label, Kind: "static", App: r.Spec.App, Mode: r.Spec.Mode, State: adminapi.RunnerReady,
			Sessions: r.Used, Limit: r.Spec.Capacity, Address: r.Spec.URL.String(), Devices: []string{},
		}
		code := fault.LiveRunnerUnhealthy
		if r.Dynamic {
			one.Kind, code = "dynamic", fault.LiveRunnerLost
		}
		if m, is := l.p.Orchestrator.Managed(r.Spec.Label); is && !r.Dynamic {
			one.Kind, one.Restarts, one.Devices = "managed", m.Restarts, append(one.Devices, m.Devices...)
		}
		switch {
		case !r.Serves && r.Problem != nil:
			one.State, one.Code, one.Reason = adminapi.RunnerNotReady, string(code), r.Problem.Error()
		case !r.Serves:
			one.State, one.Reason = adminapi.RunnerNotReady, "it says that it takes no work"
		case r.Draining:
			one.State, one.Reason = adminapi.RunnerDraining, "the operator keeps new sessions from it"
		}
		out = append(out, one)
	}
	return out
}

// Drain keeps new sessions from a runner; those that it has go on.
func (l liveRunners) Drain(name string) error { return l.set(name, true) }

// Resume lets it have new sessions again.
func (l liveRunners) Resume(name string) error { return l.set(name, false) }

func (l liveRunners) set(name string, draining bool) error {
	if !l.p.live().SetDraining(name, draining) {
		return fault.New(fault.LiveRunnerUnknown, "find a live runner", name)
	}
	return nil
}

// Check asks a runner, or all, for their health.
func (l liveRunners) Check(ctx context.Context, name string) error {
	if !l.p.live().Check(ctx, name) {
		return fault.New(fault.LiveRunnerUnknown, "find a live runner", name)
	}
	return nil
}

// liveWork is that of the live runners: open while one has a free slot.
func (g gate) liveWork() (adminapi.WorkKind, bool) {
	s := g.p.live()
	if s == nil {
		return adminapi.WorkKind{}, false
	}
	d := adminapi.WorkKind{Name: "live runners"}
	d.InUse, d.Limit = s.Use()
	switch {
	case s.Draining():
		d.Code, d.Reason = string(fault.Draining), "new sessions are refused: the node drains"
	case d.Limit == 0:
		d.Reason = "no runner is ready"
	case d.InUse >= d.Limit:
		d.Reason = "all slots are taken"
	default:
		d.Open = true
	}
	return d, true
}

// liveState is what the live runners do, for the metrics.
func (p source) liveState() metrics.LiveState {
	s := p.live()
	var out metrics.LiveState
	for _, r := range s.Statuses() {
		a := metrics.LiveApp{App: r.Spec.App, Sessions: r.Used}
		if r.Serves {
			a.Ready, a.Slots = 1, r.Spec.Capacity
		} else {
			a.NotReady = 1
		}
		out.Apps = append(out.Apps, a)
	}
	c := s.Counts()
	out.Requests = map[string]int64{
		"ok": c.Reserved, string(fault.LiveRunnerFull): c.Full, string(fault.Draining): c.Draining,
		string(fault.LiveRunnerUnknown): c.Unknown, "refused": c.Refused,
	}
	out.Channels, out.ChannelBytes = s.Channels()
	return out
}
