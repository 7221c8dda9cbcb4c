package orchestrator

import (
	"context"

	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/fault"
)

// FaceValueStep returns the step of a reload that takes over the bound on what a ticket pays. started is
// the configuration of the start; a node that takes no tickets checks the bound alone.
func (p *Earning) FaceValueStep(started *config.Config) nodeenv.Step {
	return func(_ context.Context, now, next *config.Config) (func(), error) {
		if !nodeenv.ConfigChanged(now, next, "maxFaceValue") {
			return nil, nil
		}
		face := next.Tickets.MaxFaceValue
		if !face.IsZero() && face.Cmp(started.Tickets.EV) <= 0 {
			return nil, fault.New(fault.BadOption, "bound the face value",
				"-maxFaceValue "+face.String()+" is not more than -ticketEV")
		}
		return func() {
			if set := p.SetMaxFaceValue(); set != nil {
				_ = set(face) // checked above
			}
		}, nil
	}
}
