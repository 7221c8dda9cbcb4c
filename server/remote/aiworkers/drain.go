package aiworkers

import "github.com/tuttinode/tutti/core/fault"

// Drain gives a worker no new jobs on the operator's request; its present ones continue. It
// holds until Resume, or until a new process of the worker registers. The fault is
// DeviceUnknown.
func (p *Pool) Drain(name string) error { return p.setOperatorDrain("drain an AI worker", name, true) }

// Resume ends what Drain began. The fault is DeviceUnknown.
func (p *Pool) Resume(name string) error {
	return p.setOperatorDrain("resume an AI worker", name, false)
}

func (p *Pool) setOperatorDrain(op, name string, barred bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.workers {
		if w.name == name {
			w.operatorDrained = barred
			p.refreshLocked(w)
			return nil
		}
	}
	return fault.New(fault.DeviceUnknown, op, name)
}
