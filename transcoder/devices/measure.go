package devices

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/transcoder"
)

// pace returns the real-time ratio per unit of load, 0 when it is not known.
func (t *prober) pace(ctx context.Context, encoders int) float64 {
	profiles := ladder()[:min(t.renditions, len(ladder()))]
	streams := t.o.Streams
	if encoders > 0 {
		// Streams beyond the limit would be encoded elsewhere.
		streams = min(streams, max(1, encoders/len(profiles)))
	}
	for ; streams > 0; streams /= 2 {
		spent, err := t.streams(ctx, streams, profiles)
		if err == nil {
			ratio := float64(spent) / float64(time.Duration(streams)*patternTime)
			return ratio / float64(int64(streams)*transcoder.Load(profiles))
		}
		t.o.Log.Info("a device does not manage this many streams", "device", t.engine.Device(), "streams", streams, "err",
			err)
		if t.shaken || ctx.Err() != nil {
			break
		}
	}
	return 0
}

// streams returns what so many streams take side by side for a second of frames, all
// together.
func (t *prober) streams(ctx context.Context, streams int, profiles []core.Profile) (time.Duration, error) {
	defer func() {
		for n := range streams {
			t.engine.EndSession(session(n))
		}
	}()
	// The first round is for what a driver and codecs do once.
	if _, err := t.round(ctx, streams, 0, profiles); err != nil {
		return 0, err
	}
	return t.round(ctx, streams, 1, profiles)
}

// round gives each stream one second of frames, all at once, and returns the sum
// of what they took.
func (t *prober) round(ctx context.Context, streams, number int, profiles []core.Profile) (time.Duration, error) {
	own, cancel := context.WithTimeout(ctx, t.o.Clip)
	defer cancel()
	took := make([]time.Duration, streams)
	group, sub := errgroup.WithContext(own)
	for n := range streams {
		group.Go(func() error {
			begin := t.o.Now()
			res, err := t.engine.Transcode(sub, &core.TranscodeJob{
				Session: session(n), Manifest: probeManifest, Number: core.SegmentNumber(number),
				Input: pattern, Duration: patternTime, Profiles: profiles, Origin: "offchain",
			})
			took[n] = t.o.Now().Sub(begin)
			if err != nil {
				return err
			}
			return check(res, len(profiles))
		})
	}
	err := group.Wait()
	t.distrustAfter(ctx, own, err)
	var sum time.Duration
	for _, d := range took {
		sum += d
	}
	return sum, err
}
