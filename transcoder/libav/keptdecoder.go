package libav

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/asticode/go-astiav"

	"github.com/tuttinode/tutti/core/fault"
)

// decoderKey is what two segments must have in common for one decoder.
type decoderKey struct {
	codec         astiav.CodecID
	format        astiav.PixelFormat
	profile       astiav.Profile
	width, height int
	headers       string
}

func keyOf(p *astiav.CodecParameters) decoderKey {
	return decoderKey{
		codec: p.CodecID(), format: p.PixelFormat(), profile: p.Profile(),
		width: p.Width(), height: p.Height(), headers: string(p.ExtraData()),
	}
}

// keptDecoder is a decoder that goes on from one segment of a session to the next.
type keptDecoder struct {
	c    *astiav.CodecContext
	key  decoderKey
	gpu  *gpu // nil: in software
	pick *pick
	log  *capture
	// byMarkers says that segments are ended by markers, else by end of stream and
	// flush, which other codecs take without losing the device's decoder.
	byMarkers  bool
	lengthSize int
	markers    markers
	// key frame of the segment that markers repeat; nil when it had none.
	idr []byte
	// lost counts the segment's pictures that the device refused; onKey says that the
	// latest packet is a key frame.
	lost  int
	onKey bool
}

// maxLost is how many pictures of a segment the device may refuse before the processor
// does the segment. Of a stream that lost packets on its way it refuses a few, as it
// conceals nothing.
const maxLost = 8

// openKept opens a decoder for a stream. g is nil for one in software, which tests use:
// it holds back the same frames.
func openKept(p *astiav.CodecParameters, g *gpu) (*keptDecoder, error) {
	codec := astiav.FindDecoder(p.CodecID())
	if g != nil && p.CodecID() == astiav.CodecIDAv1 {
		// The first one in the list is a software decoder.
		codec = astiav.FindDecoderByName("av1")
	}
	if codec == nil {
		return nil, failed(opDecode, astiav.ErrDecoderNotFound)
	}
	k := &keptDecoder{
		c: astiav.AllocCodecContext(codec), key: keyOf(p), gpu: g, pick: newPick(), log: newCapture(),
		byMarkers: p.CodecID() == astiav.CodecIDH264, lengthSize: lengthSize(p.ExtraData()),
	}
	if k.c == nil {
		k.close()
		return nil, failed(opDecode, errENOMEM)
	}
	if err := k.open(codec, p); err != nil {
		k.close()
		return nil, err
	}
	return k, nil
}

func (k *keptDecoder) open(codec *astiav.Codec, p *astiav.CodecParameters) error {
	if err := k.c.FromCodecParameters(p); err != nil {
		return failed(opDecode, err)
	}
	// More threads would multiply the surfaces on the device, of which it has few.
	k.c.SetThreadCount(1)
	allowMarks(k.c)
	if k.gpu != nil {
		if !decodesOnCUDA(k.c) {
			return &refusal{err: fault.New(fault.UnsupportedInputCodec, opDecode, codec.Name()), lasting: true}
		}
		k.c.SetHardwareDeviceContext(k.gpu.context)
		pickCUDA(k.c, k.pick)
	}
	options := decoderOptions()
	defer options.Free()
	return deviceFailed(opDecode, k.log.do(func() error { return k.c.Open(codec, options) }))
}

// begin readies the decoder for a segment.
func (k *keptDecoder) begin() {
	k.markers.begin()
	k.idr, k.lost, k.onKey = nil, 0, false
}

// observe looks at a packet of the segment before it is decoded.
func (k *keptDecoder) observe(p *astiav.Packet) {
	k.markers.fed++
	k.onKey = p.Flags().Has(astiav.PacketFlagKey)
	if k.byMarkers && p.Flags().Has(astiav.PacketFlagKey) {
		if data := p.Data(); hasIDR(data, k.lengthSize) {
			k.idr = bytes.Clone(data)
		}
	}
}

// send is the decoder's SendPacket. A device that refuses the stream says so here:
// libav then goes on to ask for a format without it.
func (k *keptDecoder) send(p *astiav.Packet) error {
	return k.classifyError(k.log.do(func() error { return k.c.SendPacket(p) }))
}

func (k *keptDecoder) receive(f *astiav.Frame) error {
	return k.classifyError(k.log.do(func() error { return k.c.ReceiveFrame(f) }))
}

// classifyError tells what the device does not want from what is wrong with it. libav takes
// some of a device's errors for damage in the stream and goes on, so its words count
// even where it calls the outcome good.
func (k *keptDecoder) classifyError(err error) error {
	text := k.log.text()
	if code := condition(text); code != "" {
		f := deviceFault(code, opDecode, text, err)
		if k.gpu != nil && blamesDecoder(text) && k.gpu.works() {
			return k.refused(fault.TranscoderFailed, text, err)
		}
		return f
	}
	if k.pick.refused() {
		return lasting(k.refused(fault.UnsupportedInputPixelFormat, text, err))
	}
	if !k.lostPicture(text, err) {
		return err
	}
	// What follows a key frame that is missing is not worth showing.
	if k.lost++; k.lost > maxLost || k.onKey {
		return k.refused(fault.TranscoderFailed, text, err)
	}
	if err != nil {
		return astiav.ErrInvaliddata // which costs the picture
	}
	return nil
}

// lostPicture reports whether the device refused a picture, and is well otherwise.
func (k *keptDecoder) lostPicture(text string, err error) bool {
	if k.pick.made() == 0 {
		return false
	}
	_, said := errors.AsType[*deviceError](err)
	return said && !tolerable(err) || strings.Contains(text, "cuvid")
}

func (k *keptDecoder) refused(code fault.Code, text string, err error) *refusal {
	return &refusal{err: &fault.Fault{Code: code, Op: opDecode, Detail: text, Err: err}}
}

// belongs reports whether a frame belongs to the segment.
func (k *keptDecoder) belongs(f *astiav.Frame) bool { return k.markers.frame(markOf(f)) }

// presentable leaves pictures to the processor that libav does not bring off a device as
// they are: nothing there would crop the left or the top, and of those with an odd
// number of rows the colours are read one row too early.
func (k *keptDecoder) presentable(info frameInfo) error {
	w, h := k.c.Width(), k.c.Height()
	switch {
	case k.gpu == nil:
	case info.cut:
		return lasting(k.refused(fault.UnsupportedInputPixelFormat, "cropped at the left or the top", nil))
	case info.width == even(w) && info.height == even(h) && (w != even(w) || h != even(h)):
		return lasting(k.refused(fault.UnsupportedInputPixelFormat, fmt.Sprintf("odd size %dx%d", w, h), nil))
	}
	return nil
}

// end brings the segment's last frames out, with drain, and leaves the decoder
// ready for the next segment.
func (k *keptDecoder) end(feed func(*astiav.Packet) error, drain func() error) error {
	if k.byMarkers && k.idr != nil {
		for k.markers.marker() {
			if err := k.sendMarker(drain); err != nil {
				return err
			}
		}
		if k.markers.complete() {
			return k.requirePicture()
		}
	}
	if err := feed(nil); err != nil {
		return err
	}
	flushCodec(k.c)
	return k.requirePicture()
}

// requirePicture is nil unless all that the segment had are pictures that the device refused.
func (k *keptDecoder) requirePicture() error {
	if k.lost > 0 && k.markers.shown == 0 {
		return k.refused(fault.InvalidData, "no picture of the segment was decoded", nil)
	}
	return nil
}

func (k *keptDecoder) sendMarker(drain func() error) error {
	for range maxStalls {
		err := k.classifyError(k.log.do(func() error { return sendMarked(k.c, k.idr, k.markers.mark()) }))
		full := errors.Is(err, astiav.ErrEagain)
		if err != nil && !full && !tolerable(err) {
			return decodingFailed(err)
		}
		if err := drain(); err != nil || !full {
			return err
		}
	}
	return failed(opDecode, astiav.ErrInvaliddata)
}

func (k *keptDecoder) close() {
	if k.c != nil {
		k.c.Free()
		k.c = nil
	}
	if k.pick != nil {
		k.pick.free()
		k.log.free()
		k.pick, k.log = nil, nil
	}
}
