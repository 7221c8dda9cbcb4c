package doctor

import (
	"github.com/tuttinode/tutti/core/fault"
)

// liveCheck examines the file of live runners: a mistake in it ends the start.
func liveCheck() Check {
	return Check{
		Name: "ai.live", Group: GroupAI, Title: "the live runners of the file are healthy",
		Fails: codes(fault.LiveRunnersInvalid),
		Warns: codes(fault.LiveRunnerUnhealthy, fault.LiveRunnerExited, fault.LiveRunnerLost, fault.LiveRunnerFull),
		run: skipUnless(func(s *Setup) bool { return s.LiveRunners }, "no -liveRunnerConfig",
			probeCheck(func(w *World) Probe[[]LiveRunner] { return w.Live }, checkLiveRunners)),
	}
}

func checkLiveRunners(_ *World, all []LiveRunner) Observation {
	var s Observation
	managed := 0
	for _, r := range all {
		if r.Managed {
			managed++
		}
		switch {
		case r.Program != nil:
			s.Findings = append(s.Findings, Finding{Code: fault.LiveRunnerExited, Detail: r.Label + ": " + r.Program.Error()})
		case r.Health != nil:
			s.Findings = append(s.Findings, Finding{Code: fault.LiveRunnerUnhealthy, Detail: r.Label + ": " + r.Health.Error()})
		}
	}
	s.Evidence = plural(len(all), "runner")
	if managed > 0 {
		s.Evidence += ", of which the node starts " + plural(managed, "program")
	}
	return s
}
