package adminview

import (
	reasons "github.com/tuttinode/tutti/core/doctor"
	"github.com/tuttinode/tutti/core/fault"
)

// notWorking are the conditions in which a node takes no work, in whatever role.
func notWorking() []fault.Code {
	return []fault.Code{
		fault.NoTranscoders, fault.LedgerFailed, fault.LedgerFull, fault.LedgerDamaged, fault.StoreUnreachable,
		fault.ServiceAddrInvalid,
	}
}

// NotReady says what keeps the node from taking work now. The admin listener is the
// last part that starts, so that a client that can ask finds the other listeners open.
func NotReady(p *Parts) (why []string) {
	said := make(map[fault.Code]bool)
	if p.Orchestrator != nil {
		if p.Orchestrator.Rules.Draining() {
			why = append(why, "Draining: the node takes nothing new")
		}
		why = append(why, nothingToDo(jobs{p}.work(), said)...)
	} else {
		said[fault.NoTranscoders] = true // said below, for the kind of worker
		why = append(why, p.Worker.NotReady()...)
	}
	if p.Chain != nil && !p.Chain.View().Known {
		why = append(why, "ChainNotReady: the chain has not been read yet")
	}
	for _, c := range p.Board.Visible() {
		for _, code := range notWorking() {
			if c.Code == code && !said[code] {
				said[code] = true
				why = append(why, string(code)+": "+c.Detail)
			}
		}
	}
	return why
}

// nothingToDo is why an orchestrator has nothing to work with.
func nothingToDo(w reasons.Capacity, said map[fault.Code]bool) []string {
	if w.Transcodes && w.Devices > 0 || w.AI && w.Models > 0 {
		said[fault.NoTranscoders] = true // models work, or a device does
		return nil
	}
	said[fault.NoTranscoders] = true
	if w.AI && !w.Transcodes {
		return []string{"NoModels: no model is ready"}
	}
	return []string{"NoTranscoders: no device and no transcoder is ready"}
}
