package docker

import (
	"context"
	"errors"

	"github.com/tuttinode/tutti/core/fault"
)

// Death is why a container does not run.
type Death struct {
	// Fault has the condition, with the telling words as its cause.
	Fault *fault.Fault
	// Lines are the last lines that it printed, oldest first.
	Lines  []string
	Status Status
}

// WhyEnded looks at a container that has ended and says why, from its state and
// its last words. Where nothing explains the end and its image's tag is of another
// release than this node is written for, that is the reason: ImageMismatch. The
// error says that it could not be looked at.
func (e *Engine) WhyEnded(ctx context.Context, id ID) (Death, error) {
	status, err := e.Inspect(ctx, id)
	if err != nil {
		return Death{}, err
	}
	// A container that did not start has printed nothing; neither has one whose
	// words cannot be had, and its state still tells most.
	said, err := e.output(ctx, id, maxLines)
	if err != nil {
		e.log.Debug("cannot read a container's last lines", "container", status.Name, fault.Attr(err))
	}
	return Death{Fault: explain(&status, said), Lines: said.lines, Status: status}, nil
}

// explain is the fault of a container in that state with those last words.
func explain(s *Status, said output) *fault.Fault {
	found := Recognise(Evidence{
		Engine: s.Error, Lines: said.lines, Complaint: said.complaint, ExitCode: s.ExitCode, OOMKilled: s.OOMKilled,
	})
	f := &fault.Fault{Code: found.Code, Op: "run container", Detail: found.Detail}
	if found.Line != "" {
		f.Err = errors.New(found.Line)
	}
	if found.Code != fault.ContainerExited {
		return f
	}
	if mismatch := CheckTag(s.Image, ""); mismatch != nil {
		f.Code = fault.ImageMismatch
		f.Detail += "; " + mismatch.Detail
	}
	return f
}
