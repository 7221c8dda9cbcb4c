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
	sessionsPerCore = 4
	hopeless        = 32
)

func mediaChecks() []Check {
	media := func(judge func(*World, Media) Seen) func(context.Context, *World) Seen {
		return when(func(s *Setup) bool { return s.Roles.Transcoder }, "this process does not transcode",
			about(func(w *World) Probe[Media] { return w.Media }, judge))
	}
	return []Check{
		{
			Name: "media.worker", Group: GroupMedia, Title: "a media worker starts and transcodes",
			Fails: codes(fault.WorkerStartFailed, fault.DeviceTestFailed, fault.WorkerQuarantined),
			Warns: codes(fault.WorkerReplaced, fault.WorkerCrashed, fault.WorkerUnresponsive), look: media(judgeWorker),
		},
		{
			Name: "media.sandbox", Group: GroupMedia, Title: "media workers have all their walls",
			Fails: codes(fault.SandboxOpen), Warns: codes(fault.SandboxDegraded),
			look: media(func(_ *World, m Media) Seen {
				if m.Device == "" && len(m.Findings) == 0 {
					return skip("no media worker was started")
				}
				return with(m.Findings, "namespaces, a root of their own, Landlock and seccomp")
			}),
		},
		{
			Name: "media.sessions", Group: GroupMedia, Title: "-maxSessions fits the machine", look: lookSessions,
			Fails: codes(fault.WorkerZeroCapacity), Warns: codes(fault.SessionsAboveHardware),
		},
		{
			Name: "media.capacity", Group: GroupMedia, Title: "there is capacity for new sessions", look: lookCapacity,
			Fails: codes(fault.NoTranscoders), Warns: codes(fault.OrchestratorCapped, fault.RemoteWorkerLost, fault.EncoderSessionsExhausted),
		},
	}
}

func judgeWorker(_ *World, m Media) Seen {
	if m.Device == "" && len(m.Findings) == 0 {
		return skip("the running node has its workers; it reports no problem with them")
	}
	return with(m.Findings, fmt.Sprintf("%s: a test clip took %s", m.Device, m.Took.Round(time.Millisecond)))
}

func lookSessions(ctx context.Context, w *World) Seen {
	if !w.Setup.Roles.Transcoder {
		return skip("this process does not transcode")
	}
	n := w.Setup.MaxSessions
	if n == 0 {
		return fine("auto: measured while it works")
	}
	if w.Setup.GPUs != "" {
		g, err := w.GPUs.Get(ctx)
		if err != nil || len(g.Devices) == 0 {
			return fine(fmt.Sprintf("%d; the driver's limit holds where it is lower", n))
		}
		if most := hopeless * len(g.Devices); n > most {
			return found(fault.SessionsAboveHardware, fmt.Sprintf("%d on %s", n, plural(len(g.Devices), "card")))
		}
		return fine(fmt.Sprintf("%d on %s", n, plural(len(g.Devices), "card")))
	}
	m, err := w.Machine.Get(ctx)
	if err != nil {
		return broken(err)
	}
	text := fmt.Sprintf("%d on %s", n, plural(m.Processors, "processor"))
	if n > sessionsPerCore*m.Processors {
		return found(fault.SessionsAboveHardware, text)
	}
	return fine(text)
}

func lookCapacity(ctx context.Context, w *World) Seen {
	r, err := w.Running.Get(ctx)
	switch {
	case err != nil:
		return broken(err)
	case !r.Up:
		return skip("no node runs with this configuration")
	case r.Limit > 0 && r.Sessions >= r.Limit:
		return found(fault.OrchestratorCapped, fmt.Sprintf("%d of %d sessions in use", r.Sessions, r.Limit))
	case w.Setup.Roles.Orchestrator && w.Setup.Roles.Transcoder && len(r.Workers) == 0:
		return found(fault.NoTranscoders, "the node has no worker")
	}
	return fine(fmt.Sprintf("%s in use; %s", plural(r.Sessions, "session"), listed(r.Workers, "no worker")))
}

func listed(words []string, none string) string {
	if len(words) == 0 {
		return none
	}
	return strings.Join(words, ", ")
}
