package devices

import (
	"context"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/transcoder"
)

// What a session takes of a device's memory at the least, whatever a measurement
// alongside other users of the GPU says.
const (
	leastSession   = 96 << 20
	leastRendition = 24 << 20
)

// memory returns what a session with one rendition takes of the device's memory, and
// what each further one does; 0 when that does not matter.
//
// An engine may keep decoders and encoders for the next session, so the measurement has
// a fresh one where it can: there is nothing to take from.
func (t *prober) memory(ctx context.Context) (session, rendition int64) {
	if t.o.Memory == nil {
		return 0, 0
	}
	ctx, cancel := context.WithTimeout(ctx, t.o.First)
	defer cancel()
	e := t.engine
	if fresh, ok := e.(interface {
		Alone(context.Context) (transcoder.Engine, error)
	}); ok {
		alone, err := fresh.Alone(ctx)
		if err != nil {
			t.unknown(err)
			return leastSession, leastRendition
		}
		defer alone.Close()
		e = alone
	}
	return t.footprint(ctx, e)
}

// footprint opens a session with one rendition and, alongside it, one with all.
func (t *prober) footprint(ctx context.Context, e transcoder.Engine) (one, further int64) {
	one, further = leastSession, leastRendition
	before, known := t.o.Memory(ctx)
	if !known {
		return one, further
	}
	defer e.EndSession(session(0))
	defer e.EndSession(session(1))
	small, known := t.with(ctx, e, session(0), ladder()[:1])
	if !known {
		return one, further
	}
	one = max(one, small-before)
	large, known := t.with(ctx, e, session(1), ladder()[:t.renditions])
	if more := int64(t.renditions - 1); known && more > 0 {
		further = max(further, (large-small-(small-before))/more)
	}
	return one, further
}

// with returns the memory in use once a session with these renditions is open, too.
func (t *prober) with(
	ctx context.Context, e transcoder.Engine, id core.SessionID, profiles []core.Profile,
) (int64, bool) {
	_, err := e.Transcode(ctx, &core.TranscodeJob{
		Session: id, Manifest: probeManifest, Input: large, Duration: whiteTime, Profiles: profiles, Origin: "offchain",
	})
	if err != nil {
		t.unknown(err)
		return 0, false
	}
	return t.o.Memory(ctx)
}

func (t *prober) unknown(err error) {
	t.o.Log.Info("a session's memory on a device is not known", "device", t.engine.Device(), "err", err)
}
