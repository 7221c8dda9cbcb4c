package worker

import (
	"context"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/transcoder"
)

// minIsolatedMemory is what a child for one segment may use at least, in bytes, where others
// may.
const minIsolatedMemory = 1 << 30

// isolatedMemory returns what a child for one segment may use where one for all may use limit:
// a part, so that it does not take the memory that the other needs. 0 is no limit.
func isolatedMemory(limit int64) int64 { return min(limit, max(limit/4, minIsolatedMemory)) }

// isolatedEngine is an engine in a child of its own, which is not replaced.
type isolatedEngine struct{ p *process }

func (a *isolatedEngine) Device() string { return a.p.o.Device }

func (a *isolatedEngine) Transcode(ctx context.Context, job *core.TranscodeJob) (*core.TranscodeResult, error) {
	return a.p.transcode(ctx, job)
}

// Probe lets the child look at media: see Client.Probe.
func (a *isolatedEngine) Probe(ctx context.Context, segment []byte) (transcoder.MediaInfo, error) {
	return a.p.probe(ctx, segment)
}

func (a *isolatedEngine) EndSession(id core.SessionID) { a.p.endSession(id) }

// Close ends the child.
func (a *isolatedEngine) Close() error {
	a.p.close()
	return nil
}
