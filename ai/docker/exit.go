package docker

import (
	"context"
	"errors"

	"github.com/tuttinode/tutti/core/fault"
)

// Exit is why a container does not run.
type Exit struct {
	// Fault is the condition, with the matching text as its cause.
	Fault *fault.Fault
	// Lines are the last lines that it printed, oldest first.
	Lines  []string
	Status Status
}

// ExitReason finds out why a container has ended, from its state and its last lines. If
// nothing explains it and the image's tag names another release than this node is written
// for, the reason is ImageMismatch. The error means that it could not be inspected.
func (e *Engine) ExitReason(ctx context.Context, id ID) (Exit, error) {
	status, err := e.Inspect(ctx, id)
	if err != nil {
		return Exit{}, err
	}
	// Without output, the status is still enough for most reasons.
	text, err := e.output(ctx, id, maxLines)
	if err != nil {
		e.log.Debug("cannot read a container's last lines", "container", status.Name, fault.Attr(err))
	}
	return Exit{Fault: classifyExit(&status, text), Lines: text.lines, Status: status}, nil
}

// classifyExit returns the fault of a container in this state with this output.
func classifyExit(s *Status, text output) *fault.Fault {
	found := Classify(Evidence{
		Engine: s.Error, Lines: text.lines, LastStderr: text.lastStderr, ExitCode: s.ExitCode, OOMKilled: s.OOMKilled,
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
