package live

import (
	"context"
	"net/netip"
	"sync"

	"github.com/pion/rtp"
	"github.com/pion/webrtc/v4"
)

// maxQueued bounds the bytes that wait for a viewer: a slow one loses pictures up to a key frame.
const maxQueued = 8 << 20

// viewer is one that watches a stream's output.
type viewer struct {
	video, audio *webrtc.TrackLocalStaticRTP
	// from is its address if it has no key; of output.join.
	from netip.Prefix
	// base is added to all time stamps, which begin anywhere.
	base uint32
	// more has an element when there are frames, or the viewer is over.
	more chan struct{}

	mu    sync.Mutex
	queue []*frame
	bytes int
	// opened: it takes what comes. keyless: it passes pictures over until a key frame.
	opened, keyless, over bool

	// What follows is run's alone.
	videoNumber, audioNumber uint16
	pace                     pacer
}

func newViewer(base uint32) *viewer {
	return &viewer{base: base, more: make(chan struct{}, 1), keyless: true}
}

// backlog adds a frame from before the viewer came.
func (v *viewer) backlog(f *frame) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.queue = append(v.queue, f)
	v.bytes += f.size
	v.keyless = false
}

// open makes the viewer take what comes.
func (v *viewer) open() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.opened = true
	v.wakeLocked()
}

// offer adds a frame without waiting.
func (v *viewer) offer(f *frame) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case !v.opened, v.keyless && !f.key:
		return
	case v.bytes+f.size > maxQueued:
		v.queue, v.bytes, v.keyless = nil, 0, true
		return
	}
	v.keyless = false
	v.queue = append(v.queue, f)
	v.bytes += f.size
	v.wakeLocked()
}

func (v *viewer) end() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.over = true
	v.wakeLocked()
}

func (v *viewer) wakeLocked() {
	select {
	case v.more <- struct{}{}:
	default:
	}
}

// run sends frames until ctx ends, the stream does, or a packet cannot be sent.
func (v *viewer) run(ctx context.Context) {
	for {
		select {
		case <-v.more:
		case <-ctx.Done():
			return
		}
		v.mu.Lock()
		frames, over := v.queue, v.over
		v.queue, v.bytes = nil, 0
		v.mu.Unlock()
		for _, f := range frames {
			if v.send(ctx, f) != nil {
				return
			}
		}
		if over {
			return
		}
	}
}

// send sends a frame's packets.
func (v *viewer) send(ctx context.Context, f *frame) error {
	track, number, at := v.video, &v.videoNumber, uint32(f.at)+v.base
	if f.audio {
		track, number, at = v.audio, &v.audioNumber, uint32(f.at*audioClock/videoClock)+v.base
	}
	if track == nil {
		return nil
	}
	for i, p := range f.payloads {
		*number++
		packet := &rtp.Packet{Payload: p, Header: rtp.Header{Version: 2, SequenceNumber: *number, Timestamp: at,
			Marker: f.audio || i == len(f.payloads)-1}}
		if err := track.WriteRTP(packet); err != nil {
			return err
		}
		if err := v.pace.add(ctx, len(p)); err != nil {
			return err
		}
	}
	return nil
}
