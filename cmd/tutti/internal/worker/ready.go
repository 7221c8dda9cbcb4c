package worker

import (
	"strings"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/inference"
)

// The kinds of work for an orchestrator elsewhere, as conditions name them.
const (
	KindTranscoder = "transcoder"
	KindAI         = "AI worker"
)

// unregistered says why no orchestrator knows of a worker of this machine, "" while one
// does: of several one is enough.
func unregistered(conditions []health.Condition, kind string, orchestrators int) (why string) {
	away := 0
	for _, c := range conditions {
		if c.Code == fault.WorkerNotRegistered && strings.HasPrefix(c.About, kind+" at ") {
			if away++; why == "" {
				why = c.Detail
			}
		}
	}
	if away < max(1, orchestrators) {
		return ""
	}
	return why
}

// Unregistered says why no orchestrator knows of this node's workers of a kind, "" while one does.
func (p *Part) Unregistered(kind string) string {
	if p == nil {
		return ""
	}
	return unregistered(p.Board.Snapshot(), kind, len(p.Config.Addresses.Orchestrators))
}

// NotReady says what keeps a worker for orchestrators elsewhere from work. A node that
// is both transcoder and AI worker is ready when it is one.
func (p *Part) NotReady() (why []string) {
	if p == nil {
		return nil
	}
	roles := p.Config.Roles
	if roles.Transcoder && p.media.Pool != nil {
		switch away := p.Unregistered(KindTranscoder); {
		case p.media.Pool.Ready() == 0:
			why = append(why, "NoTranscoders: no device is ready")
		case away != "":
			why = append(why, "WorkerNotRegistered: "+away)
		default:
			return nil
		}
	}
	if roles.AIWorker && p.states != nil {
		switch away := p.Unregistered(KindAI); {
		case !offered(p.states()):
			why = append(why, "NoModels: no model is ready")
		case away != "":
			why = append(why, "WorkerNotRegistered: "+away)
		default:
			return nil
		}
	}
	return why
}

func offered(states []inference.ModelState) bool {
	for i := range states {
		if states[i].Offered() {
			return true
		}
	}
	return false
}
