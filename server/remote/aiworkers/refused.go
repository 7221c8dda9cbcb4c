package aiworkers

import "github.com/tuttinode/tutti/core/fault"

// Refused returns how many registrations were turned away since the start, by fault code.
func (p *Pool) Refused() map[fault.Code]uint64 { return p.refusals.Counts() }
