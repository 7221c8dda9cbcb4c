package main

import (
	"strings"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/inference"
)

// The kinds of work for an orchestrator elsewhere, as conditions name them.
const (
	kindTranscoder = "transcoder"
	kindAI         = "AI worker"
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

// unregistered is that of this node.
func (n *node) unregistered(kind string) string {
	return unregistered(n.Board.Snapshot(), kind, len(n.Config.Addresses.Orchestrators))
}

// workerNotReady says what keeps a worker for orchestrators elsewhere from work. Who is
// both transcoder and AI worker is ready when it is one.
func (n *node) workerNotReady() (why []string) {
	roles := n.Config.Roles
	if roles.Transcoder && n.media.Pool != nil {
		switch away := n.unregistered(kindTranscoder); {
		case n.media.Pool.Ready() == 0:
			why = append(why, "NoTranscoders: no device is ready")
		case away != "":
			why = append(why, "WorkerNotRegistered: "+away)
		default:
			return nil
		}
	}
	if roles.AIWorker && n.dashboardParts.models != nil {
		switch away := n.unregistered(kindAI); {
		case !offered(n.dashboardParts.models()):
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
