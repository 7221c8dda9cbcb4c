package devices

import (
	"context"
	"errors"

	"github.com/tuttinode/tutti/transcoder"
)

// Count opens hardware encoders until the driver refuses one, or until there are
// Options.Encoders. Encoders of other programs lower the number, and other programs may be
// refused during the count. A failed count finds no limit: the device stays usable.
func (d *Device) Count(ctx context.Context) EncoderCount {
	t := &prober{o: d.o, engine: d}
	return t.count(ctx)
}

// encoders returns those that were counted before, or are counted now. A limit that
// showed with the first clip holds where the engine cannot say more.
func (t *prober) encoders(ctx context.Context) EncoderCount {
	if t.counted != nil {
		return *t.counted
	}
	counted := t.count(ctx)
	if t.renditions < probeRenditions && !counted.None {
		counted.Most = max(counted.Most, t.renditions)
	}
	return counted
}

func (t *prober) count(ctx context.Context) EncoderCount {
	l, ok := t.engine.(transcoder.EncoderLimiter)
	if !ok {
		return EncoderCount{}
	}
	own, cancel := context.WithTimeout(ctx, t.o.Count)
	defer cancel()
	n, err := l.EncoderLimit(own, t.o.Encoders)
	switch {
	case err != nil:
		t.o.Log.Info("the limit of a device's encoders is not known", "device", t.engine.Device(), "err", err)
		// Many encoders may take long where each of them works.
		if !errors.Is(own.Err(), context.DeadlineExceeded) {
			t.distrustAfter(ctx, own, err)
		}
		return EncoderCount{}
	case n >= t.o.Encoders:
		return EncoderCount{}
	}
	return EncoderCount{Most: n, None: n == 0}
}
