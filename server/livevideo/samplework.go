package livevideo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

const (
	// segmentTime is the playing time that a first segment is taken to have, for deadlines.
	segmentTime = 2 * time.Second
	// workTime bounds the work at one segment.
	workTime = 10 * time.Second
	// bitrate of the output, in bits per second.
	bitrate = 2_500_000
	// statusInterval is how often a status event is sent: gateways leave a runner that is silent for 30 s.
	statusInterval = 5 * time.Second
	// maxParams bounds parameters, in bytes.
	maxParams = 64 << 10
)

// sampleWork is one session of the sample.
type sampleWork struct {
	p          *Sample
	id, stream string

	mu     sync.Mutex
	params json.RawMessage // guarded by mu
	effect core.Effect     // guarded by mu
	// fault is the text of the last segment that failed, "" after one that did not; guarded by mu.
	fault string
	// updated is when parameters came, in Unix milliseconds; guarded by mu.
	updated int64

	RunnerChannels
	frames   atomic.Int64
	segments atomic.Int64
}

// run works until the input's end or that of ctx.
func (w *sampleWork) run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	var others sync.WaitGroup
	others.Go(func() { w.follow(ctx) })
	others.Go(func() { w.report(ctx) })
	w.transform(ctx)
	cancel()
	others.Wait()
	w.p.o.Media.EndSession(w.session())
	w.Close()
}

// session names the work at media workers. The id is a credential, and their sessions are logged and shown.
func (w *sampleWork) session() core.SessionID {
	sum := sha256.Sum256([]byte(w.id))
	return core.SessionID("live-" + hex.EncodeToString(sum[:8]))
}

// transform draws the effect into each segment. One that cannot be decoded is left out.
func (w *sampleWork) transform(ctx context.Context) {
	length := segmentTime
	for {
		data, number, err := w.In.Next(ctx)
		if err != nil {
			return
		}
		if len(data) == 0 {
			continue
		}
		result, err := w.draw(ctx, data, core.SegmentNumber(number), length)
		w.mu.Lock()
		w.fault = ""
		if err != nil {
			w.fault = fault.Wire(err)
		}
		w.mu.Unlock()
		if err != nil {
			w.p.o.Log.Debug("live segment not transformed", "session", w.id[:min(len(w.id), 8)], "segment", number,
				fault.Attr(err))
			continue
		}
		if result.SourceDuration > 0 {
			length = result.SourceDuration
		}
		w.frames.Add(int64(result.Renditions[0].Frames))
		w.segments.Add(1)
		if err := w.Out.Put(result.Renditions[0].Data); err != nil && w.closed() {
			return
		}
	}
}

// closed reports whether the output is closed.
func (w *sampleWork) closed() bool {
	select {
	case <-w.Out.Done():
		return true
	default:
		return false
	}
}

// draw makes one segment of the output.
func (w *sampleWork) draw(
	ctx context.Context, data []byte, number core.SegmentNumber, length time.Duration,
) (*core.TranscodeResult, error) {
	const op = "draw the sample's effect"
	ctx, cancel := context.WithTimeout(ctx, workTime)
	defer cancel()
	w.mu.Lock()
	effect := w.effect
	w.mu.Unlock()
	result, err := w.p.o.Media.Transcode(ctx, &core.TranscodeJob{
		Session: w.session(), Manifest: core.ManifestID(w.session()), Number: number, Input: data, Duration: length,
		Effect: effect,
		// Players of the browser take no B frames. The size is the source's where an effect is drawn.
		Profiles: []core.Profile{{
			Name: SampleModel, Width: 1280, Height: 720, Bitrate: bitrate, Profile: core.ProfileBaseline,
		}},
	})
	if err != nil {
		return nil, err
	}
	if len(result.Renditions) != 1 {
		return nil, fault.New(fault.MismatchedSegments, op, "")
	}
	return result, nil
}

var errEffect = errors.New(`effect must be "edges", "gray", "negative" or "none"`)

// parseParams reads an effect; parameters without one leave it as it is.
func parseParams(data []byte, now core.Effect) (core.Effect, error) {
	if len(data) == 0 {
		return now, nil
	}
	if len(data) > maxParams {
		return now, fmt.Errorf("params have %d bytes, %d are allowed", len(data), maxParams)
	}
	var p struct {
		Effect *string `json:"effect"`
	}
	if err := json.Unmarshal(data, &p); err != nil {
		return now, errors.New("params are no JSON object")
	}
	if p.Effect == nil {
		return now, nil
	}
	effect, ok := core.EffectNamed(*p.Effect)
	if !ok {
		return now, errEffect
	}
	return effect, nil
}
