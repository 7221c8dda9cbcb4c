package doctor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// sessionsPerCore is how many streams a CPU core can carry at best, and
// maxSessionsPerGPU is more than any GPU can carry.
const (
	sessionsPerCore   = 4
	maxSessionsPerGPU = 32
)

func mediaChecks() []Check {
	media := func(check func(*World, Media) Observation) func(context.Context, *World) Observation {
		return skipUnless(func(s *Setup) bool { return s.Roles.Transcoder }, "this process does not transcode",
			probeCheck(func(w *World) Probe[Media] { return w.Media }, check))
	}
	return []Check{
		{
			Name: "media.worker", Group: GroupMedia, Title: "a media worker starts and transcodes",
			Fails: codes(fault.WorkerStartFailed, fault.DeviceTestFailed, fault.WorkerQuarantined),
			Warns: codes(fault.WorkerReplaced, fault.WorkerCrashed, fault.WorkerUnresponsive), run: media(checkWorker),
		},
		{
			Name: "media.sandbox", Group: GroupMedia, Title: "media workers run in a complete sandbox",
			Fails: codes(fault.SandboxOpen), Warns: codes(fault.SandboxDegraded),
			run: media(func(_ *World, m Media) Observation {
				if m.Device == "" && len(m.Findings) == 0 {
					return skip("no media worker was started")
				}
				return withEvidence(m.Findings, "namespaces, a root of their own, Landlock and seccomp")
			}),
		},
		{
			Name: "media.sessions", Group: GroupMedia, Title: "-maxSessions fits the machine", run: checkSessions,
			Fails: codes(fault.WorkerZeroCapacity), Warns: codes(fault.SessionsAboveHardware),
		},
		{
			Name: "media.capacity", Group: GroupMedia, Title: "there is capacity for new sessions", run: checkCapacity,
			Fails: codes(fault.NoTranscoders), Warns: codes(fault.OrchestratorCapped, fault.RemoteWorkerLost,
				fault.EncoderSessionsExhausted),
		},
	}
}

func checkWorker(_ *World, m Media) Observation {
	if m.Device == "" && len(m.Findings) == 0 {
		return skip("the running node has its workers; it reports no problem with them")
	}
	return withEvidence(m.Findings, fmt.Sprintf("%s: a test clip took %s", m.Device, m.Took.Round(time.Millisecond)))
}

func checkSessions(ctx context.Context, w *World) Observation {
	if !w.Setup.Roles.Transcoder {
		return skip("this process does not transcode")
	}
	n := w.Setup.MaxSessions
	if n == 0 {
		return pass("auto: measured while it works")
	}
	if w.Setup.GPUs != "" {
		g, err := w.GPUs.Get(ctx)
		if err != nil || len(g.Devices) == 0 {
			return pass(fmt.Sprintf("%d; the driver's limit holds where it is lower", n))
		}
		if most := maxSessionsPerGPU * len(g.Devices); n > most {
			return finding(fault.SessionsAboveHardware, fmt.Sprintf("%d on %s", n, plural(len(g.Devices), "GPU")))
		}
		return pass(fmt.Sprintf("%d on %s", n, plural(len(g.Devices), "GPU")))
	}
	m, err := w.Machine.Get(ctx)
	if err != nil {
		return couldNotRun(err)
	}
	text := fmt.Sprintf("%d on %s", n, plural(m.Processors, "CPU core"))
	if n > sessionsPerCore*m.Processors {
		return finding(fault.SessionsAboveHardware, text)
	}
	return pass(text)
}

func checkCapacity(ctx context.Context, w *World) Observation {
	r, err := w.Running.Get(ctx)
	switch {
	case err != nil:
		return couldNotRun(err)
	case !r.Up:
		return skip("no node runs with this configuration")
	case r.Limit > 0 && r.Sessions >= r.Limit:
		return finding(fault.OrchestratorCapped, fmt.Sprintf("%d of %d sessions in use", r.Sessions, r.Limit))
	case w.Setup.Roles.Orchestrator && w.Setup.Roles.Transcoder && len(r.Workers) == 0:
		return finding(fault.NoTranscoders, "the node has no worker")
	}
	return pass(fmt.Sprintf("%s in use; %s", plural(r.Sessions, "session"), listed(r.Workers, "no worker")))
}

func listed(words []string, none string) string {
	if len(words) == 0 {
		return none
	}
	return strings.Join(words, ", ")
}
