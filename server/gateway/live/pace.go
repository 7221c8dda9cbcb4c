package live

import (
	"context"
	"time"
)

const (
	// burst is how many bytes are sent to a viewer without a pause. Runners that return whole segments make seconds of
	// packets due at once, and a viewer's socket holds some hundred of them: the others would be lost.
	burst = 16 << 10
	// pauseTime follows a burst: 16 MB a second are far above any stream.
	pauseTime = time.Millisecond
)

// pacer spreads what is due at once. Its zero value waits for the clock.
type pacer struct {
	sent int
	// pause waits a moment; nil waits pauseTime.
	pause func(ctx context.Context) error
}

// add counts what was sent, and pauses after each burst until ctx ends.
func (p *pacer) add(ctx context.Context, size int) error {
	if p.sent += size; p.sent < burst {
		return nil
	}
	p.sent = 0
	if p.pause != nil {
		return p.pause(ctx)
	}
	timer := time.NewTimer(pauseTime)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
