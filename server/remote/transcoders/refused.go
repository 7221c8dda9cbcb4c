package transcoders

import "github.com/tuttinode/tutti/core/fault"

// Refused returns how many registrations and results were turned away since the start, by
// fault code.
func (s *Service) Refused() map[fault.Code]uint64 { return s.refusals.Counts() }
