package sample

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
	"github.com/tuttinode/tutti/server/trickle"
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

// work is one session of the sample.
type work struct {
	p          *Pipeline
	id, stream string

	mu     sync.Mutex
	params json.RawMessage // guarded by mu
	effect core.Effect     // guarded by mu
	// fault is the text of the last segment that failed, "" after one that did not; guarded by mu.
	fault string
	// updated is when parameters came, in Unix milliseconds; guarded by mu.
	updated int64

	in, control *trickle.Subscription
	out, events *trickle.Channel
	frames      atomic.Int64
	segments    atomic.Int64
}

// open finds the channels. What is written from now on is not missed.
func (w *work) open() bool {
	hub := w.p.o.Hub
	in, control := hub.Channel(w.id), hub.Channel(w.id+"-control")
	w.out, w.events = hub.Channel(w.id+"-out"), hub.Channel(w.id+"-events")
	if in == nil || control == nil || w.out == nil || w.events == nil {
		return false
	}
	w.in, w.control = in.Subscribe(), control.Subscribe()
	return true
}

// run works until the input's end or that of ctx.
func (w *work) run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	var others sync.WaitGroup
	others.Go(func() { w.follow(ctx) })
	others.Go(func() { w.report(ctx) })
	w.transform(ctx)
	cancel()
	others.Wait()
	w.p.o.Media.EndSession(w.session())
}

// session names the work at media workers. The id is a credential, and their sessions are logged and shown.
func (w *work) session() core.SessionID {
	sum := sha256.Sum256([]byte(w.id))
	return core.SessionID("live-" + hex.EncodeToString(sum[:8]))
}

// transform draws the effect into each segment. One that cannot be decoded is left out.
func (w *work) transform(ctx context.Context) {
	length := segmentTime
	for {
		data, number, err := w.in.Next(ctx)
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
		if err := w.out.Put(result.Renditions[0].Data); err != nil && w.closed() {
			return
		}
	}
}

// closed reports whether the output is closed.
func (w *work) closed() bool {
	select {
	case <-w.out.Done():
		return true
	default:
		return false
	}
}

// draw makes one segment of the output.
func (w *work) draw(
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
			Name: Model, Width: 1280, Height: 720, Bitrate: bitrate, Profile: core.ProfileBaseline,
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
