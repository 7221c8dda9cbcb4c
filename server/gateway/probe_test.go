package gateway_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"sync"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway"
	"github.com/tuttinode/tutti/server/gateway/verify"
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

	// What a probe finds no frame in is not passed on for that.
	p.set(gateway.MediaInfo{VideoCodec: "h264", AudioCodec: "aac"}, nil)
	n.push("/live/show/3.ts", media).want(t, media)

	empty := withoutPictures(t)
	a := n.push("/live/show/3.ts", empty)
	if len(a.parts) != 2 || !bytes.Equal(a.parts[0].data, empty) {
		t.Errorf("a segment without frames: %d %s", a.status, a.text)
	}
	if len(o.seen()) != 4 {
		t.Error("a segment without frames went to an orchestrator")
	}

	p.set(gateway.MediaInfo{VideoCodec: "av1"}, nil)
	n.push("/live/show/4.ts", media).wantFault(t, 422, fault.InputCodecUnsupported)
	p.set(gateway.MediaInfo{}, fault.New(fault.InputUnreadable, "probe", "Invalid data found when processing input"))
	n.push("/live/show/5.ts", media).wantFault(t, 422, fault.InputUnreadable)
	p.set(gateway.MediaInfo{}, io.ErrUnexpectedEOF) // our own failure
	n.push("/live/show/6.ts", media).want(t, media)
}

// withoutPictures is a transport stream that declares video and sound and has sound
// alone.
func withoutPictures(t *testing.T) (out []byte) {
	t.Helper()
	data, err := os.ReadFile("verify/testdata/h264.ts")
	if err != nil {
		t.Fatal(err)
	}
	const video = 0x100
	verify.EachPacket(data, func(p []byte) bool {
		if pid, _ := verify.PacketHead(p); pid != video {
			out = append(out, p...)
		}
		return true
	})
	return out
}
