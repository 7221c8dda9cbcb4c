package worker

import (
	"context"

	"github.com/tuttinode/tutti/core"
)

// alone is an engine in a child of its own, which is not replaced.
type alone struct{ p *process }

func (a *alone) Device() string { return a.p.o.Device }

func (a *alone) Transcode(ctx context.Context, job *core.TranscodeJob) (*core.TranscodeResult, error) {
	return a.p.transcode(ctx, job)
}

func (a *alone) EndSession(id core.SessionID) { a.p.endSession(id) }

// Close ends the child.
func (a *alone) Close() error {
	a.p.close()
	return nil
}
