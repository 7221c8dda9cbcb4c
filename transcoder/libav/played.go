package libav

import (
	"context"
	"time"

	"github.com/asticode/go-astiav"
)

// honest is the longest that sound may play under a header that states d, which some
// encoders only estimate.
func honest(d time.Duration) time.Duration { return d + d/4 + 2*time.Second }

// played is for how long the input's sound plays, told by its packets: a header may
// state anything. It reads the input to its end, or until ctx's, and decodes nothing.
func (in *input) played(ctx context.Context) time.Duration {
	packet := astiav.AllocPacket()
	if in.audio == nil || packet == nil {
		return 0
	}
	defer packet.Free()
	var ticks float64
	packets := 0
	for ctx.Err() == nil && in.file.ReadFrame(packet) == nil {
		if packet.StreamIndex() == in.audio.Index() && packet.Size() > 0 {
			ticks += float64(max(0, packet.Duration()))
			packets++
		}
		packet.Unref()
	}
	b := base(in.audio)
	stated := ticks * float64(b.Num) / float64(b.Den)
	// A container states a packet's duration, too. What its codec makes of each is only
	// known within a factor of 2: some double the rate.
	p := in.audio.CodecParameters()
	if rate := p.SampleRate(); rate > 0 {
		if counted := float64(packets) * float64(max(0, p.FrameSize())) / float64(rate); counted > 2*stated {
			stated = counted
		}
	}
	const most = 1e6 // seconds
	return time.Duration(min(stated, most) * float64(time.Second))
}
