package libav

import (
	"context"
	"errors"
	"strconv"

	"github.com/asticode/go-astiav"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder/libav/mediafile"
)

const opDecode = "decode segment"

// decodedFrame is one decoded frame with its repaired PTS, in ticks of the source's
// time base. Its holder frees the frame.
type decodedFrame struct {
	frame *astiav.Frame
	info  frameInfo
	// time and length of the frame.
	time, length int64
	// decoded counts the frames of the segment up to and with this one.
	decoded int64
}

// decoder reads a segment to its end: video goes frame by frame to a function,
// audio packets are kept for the renditions.
type decoder struct {
	in      *input
	c       *astiav.CodecContext
	threads int
	// kept holds c where it outlives the segment; nil where it does not.
	kept *keptDecoder
	line mediafile.Timeline
	// onVideo sees every video packet when not nil.
	onVideo func(*astiav.Packet)

	audio   []*astiav.Packet
	frames  core.Frames
	pixels  core.Pixels
	packets int
	keys    int
	// end is when the last frame ends, in ticks.
	end int64
}

func newDecoder(in *input, threads int) (*decoder, error) {
	d := &decoder{in: in, threads: threads}
	if in.video == nil {
		return d, nil
	}
	d.line.Nominal = nominal(in)
	return d, d.open()
}

// nominal returns the usual distance of two frames in ticks, 0 when unknown.
func nominal(in *input) int64 {
	r := in.frameRate()
	if r.Num() <= 0 {
		return 0
	}
	return mediafile.Rescale(1, mediafile.TimeBase{Num: int64(r.Den()), Den: int64(r.Num())}, base(in.video))
}

func (d *decoder) open() error {
	params := d.in.video.CodecParameters()
	codec := astiav.FindDecoder(params.CodecID())
	// A zero-frame segment declares video that never comes; it needs no decoder.
	if params.CodecID() == astiav.CodecIDNone {
		return nil
	}
	if codec == nil {
		return failed(opDecode, astiav.ErrDecoderNotFound)
	}
	if d.c = astiav.AllocCodecContext(codec); d.c == nil {
		return failed(opDecode, errENOMEM)
	}
	if err := d.c.FromCodecParameters(params); err != nil {
		return failed(opDecode, err)
	}
	d.c.SetThreadCount(d.threads)
	options := decoderOptions()
	defer options.Free()
	return failed(opDecode, d.c.Open(codec, options))
}

func decoderOptions() *astiav.Dictionary {
	return dictionary(map[string]string{"max_pixels": strconv.Itoa(core.MaxPicturePixels)})
}

// run reads the whole segment and gives every decoded frame to emit, which owns
// the frame's AVFrame.
func (d *decoder) run(ctx context.Context, emit func(decodedFrame) error) error {
	packet, frame := astiav.AllocPacket(), astiav.AllocFrame()
	defer packet.Free()
	defer frame.Free()
	for {
		if err := ctx.Err(); err != nil {
			return failed(opDecode, context.Cause(ctx))
		}
		if err := d.in.file.ReadFrame(packet); err != nil {
			// A damaged tail ends the segment where the damage begins.
			break
		}
		err := d.take(packet, frame, emit)
		packet.Unref()
		if err != nil {
			return err
		}
	}
	if d.c == nil {
		return nil
	}
	if d.kept != nil {
		return d.kept.end(
			func(p *astiav.Packet) error { return d.feed(p, frame, emit) },
			func() error { return d.drain(frame, emit) })
	}
	return d.feed(nil, frame, emit)
}

// take handles one packet from the container.
func (d *decoder) take(p *astiav.Packet, frame *astiav.Frame, emit func(decodedFrame) error) error {
	switch {
	case d.c != nil && p.StreamIndex() == d.in.video.Index():
		d.packets++
		if p.Flags().Has(astiav.PacketFlagKey) {
			d.keys++
		}
		if d.onVideo != nil {
			d.onVideo(p)
		}
		if d.kept != nil {
			d.kept.observe(p)
		}
		return d.feed(p, frame, emit)
	case d.in.audio != nil && p.StreamIndex() == d.in.audio.Index() && p.Size() > 0:
		c := p.Clone()
		if c == nil {
			return failed(opDecode, errENOMEM)
		}
		d.audio = append(d.audio, c)
	}
	return nil
}

// maxStalls bounds how often a decoder may refuse to go on before the segment
// counts as broken. Well-behaved decoders never refuse twice in a row.
const maxStalls = 64

// feed gives a packet to the decoder, nil at the end, and emits what comes out.
func (d *decoder) feed(p *astiav.Packet, frame *astiav.Frame, emit func(decodedFrame) error) error {
	for range maxStalls {
		err := d.send(p)
		full := errors.Is(err, astiav.ErrEagain)
		// Damage inside a packet costs its frame, not the segment.
		if err != nil && !full && !tolerable(err) {
			return decodingFailed(err)
		}
		if err := d.drain(frame, emit); err != nil {
			return err
		}
		if !full {
			return nil
		}
	}
	return failed(opDecode, astiav.ErrInvaliddata)
}

func (d *decoder) send(p *astiav.Packet) error {
	if d.kept != nil {
		return d.kept.send(p)
	}
	return d.c.SendPacket(p)
}

func (d *decoder) receive(f *astiav.Frame) error {
	if d.kept != nil {
		return d.kept.receive(f)
	}
	return d.c.ReceiveFrame(f)
}

// tolerable errors concern one packet. What a device says of itself is none.
func tolerable(err error) bool {
	if _, device := errors.AsType[*fault.Fault](err); device {
		return false
	}
	return errors.Is(err, astiav.ErrInvaliddata) || errors.Is(err, astiav.ErrEof) ||
		errors.Is(err, astiav.ErrPatchwelcome) || errors.Is(err, errEINVAL)
}

func (d *decoder) drain(frame *astiav.Frame, emit func(decodedFrame) error) error {
	for stalls := 0; ; {
		if err := d.receive(frame); err != nil {
			if errors.Is(err, astiav.ErrEagain) || errors.Is(err, astiav.ErrEof) {
				return nil
			}
			if stalls++; tolerable(err) && stalls < maxStalls {
				continue
			}
			return decodingFailed(err)
		}
		stalls = 0
		if d.kept != nil && !d.kept.belongs(frame) {
			frame.Unref()
			continue
		}
		info := infoOf(frame)
		if d.kept != nil {
			if err := d.kept.presentable(info); err != nil {
				frame.Unref()
				return decodingFailed(err)
			}
		}
		d.frames++
		d.pixels += core.Pixels(info.width) * core.Pixels(info.height)
		t, length := d.line.Next(info.pts, info.guess, info.length)
		d.end = t + length
		own := frame.Clone()
		frame.Unref()
		if own == nil {
			return failed(opDecode, errENOMEM)
		}
		if err := emit(decodedFrame{frame: own, info: info, time: t, length: length, decoded: int64(d.frames)}); err != nil {
			return err
		}
	}
}

// verdict is the fault of a segment without usable video.
// Whether video is needed at all is the session's matter.
func (d *decoder) verdict() error {
	switch {
	case d.packets == 0:
		return nil
	case d.keys == 0:
		return fault.New(fault.NoKeyframes, opDecode, "no key frame in "+strconv.Itoa(d.packets)+" packets")
	case d.frames == 0:
		return fault.New(fault.InvalidData, opDecode, "no frame could be decoded")
	}
	return nil
}

func (d *decoder) close() {
	for _, p := range d.audio {
		p.Free()
	}
	d.audio = nil
	if d.c != nil && d.kept == nil {
		d.c.Free()
	}
	d.c = nil
}
