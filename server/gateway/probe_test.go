package gateway_test

import (
	"context"
	"io"
	"sync"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway"
)

type probe struct {
	mu    sync.Mutex
	info  gateway.MediaInfo
	err   error
	calls int
}

func (p *probe) Probe(context.Context, []byte) (gateway.MediaInfo, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls++
	return p.info, p.err
}

func (p *probe) set(info gateway.MediaInfo, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.info, p.err = info, err
}

func TestProbe(t *testing.T) {
	t.Parallel()
	o := newFake(t)
	p := &probe{}
	n := start(t, []string{o.uri}, func(opt *gateway.Options) { opt.Probe = p })
	h264 := gateway.MediaInfo{VideoCodec: "h264", AudioCodec: "aac", PixelFormat: "yuv420p10le", Width: 640, Height: 360}
	p.set(h264, nil)
	n.push("/live/show/0.ts", media).want(t, media)
	hevc := h264
	hevc.VideoCodec, hevc.PixelFormat = "hevc", "yuv420p"
	p.set(hevc, nil)
	n.push("/live/show/1.ts", media).want(t, media)
	n.push("/live/show/2.ts", media).want(t, media)
	segs := o.seen()
	for i, reinit := range []bool{false, true, false} {
		if segs[i].Reinit != reinit {
			t.Errorf("segment %d: reinit %v", i, segs[i].Reinit)
		}
	}
	if bits := segs[0].Capabilities.Bits[0]; bits != 0x04001003|1<<25 {
		t.Errorf("10 bit: capabilities %x", bits)
	}
	if bits := segs[1].Capabilities.Bits[0]; bits != 0x04001003|1<<15 {
		t.Errorf("HEVC: capabilities %x", bits)
	}

	empty := hevc
	empty.NoFrames = true
	p.set(empty, nil)
	a := n.push("/live/show/3.ts", media)
	if len(a.parts) != 2 || string(a.parts[0].data) != string(media) {
		t.Errorf("a segment without pictures: %d %s", a.status, a.text)
	}
	if len(o.seen()) != 3 {
		t.Error("a segment without pictures went to an orchestrator")
	}

	p.set(gateway.MediaInfo{VideoCodec: "av1"}, nil)
	n.push("/live/show/4.ts", media).wantFault(t, 422, fault.InputCodecUnsupported)
	p.set(gateway.MediaInfo{}, fault.New(fault.InputUnreadable, "probe", "Invalid data found when processing input"))
	n.push("/live/show/5.ts", media).wantFault(t, 422, fault.InputUnreadable)
	p.set(gateway.MediaInfo{}, io.ErrUnexpectedEOF) // our own trouble
	n.push("/live/show/6.ts", media).want(t, media)
}
