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

// keptDecoder is a decoder that continues from one segment of a session to the next.
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
	// lost counts the segment's frames that the device refused; onKey: the latest packet is
	// a key frame.
	lost  int
	onKey bool
}

// maxLost is how many frames of a segment the device may refuse before the CPU does
// the segment. After packet loss the device refuses a few, because it has no error
// concealment.
const maxLost = 8

// openKept opens a decoder for a stream. g is nil for a software decoder, which tests use: it
// delays the same frames.
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

// observe records a packet of the segment before it is decoded.
func (k *keptDecoder) observe(p *astiav.Packet) {
	k.markers.fed++
	k.onKey = p.Flags().Has(astiav.PacketFlagKey)
	if k.byMarkers && p.Flags().Has(astiav.PacketFlagKey) {
		if data := p.Data(); hasIDR(data, k.lengthSize) {
			k.idr = bytes.Clone(data)
		}
	}
}

// send is the decoder's SendPacket. A device that refuses the stream shows it here: libav then
// asks for a format without it.
func (k *keptDecoder) send(p *astiav.Packet) error {
	return k.classifyError(k.log.do(func() error { return k.c.SendPacket(p) }))
}

func (k *keptDecoder) receive(f *astiav.Frame) error {
	return k.classifyError(k.log.do(func() error { return k.c.ReceiveFrame(f) }))
}

// classifyError distinguishes what the device refuses from a fault of the device. libav treats
// some device errors as damage in the stream and continues, so its log messages count even when
// it returns no error.
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
	if !k.lostFrame(text, err) {
		return err
	}
	// Frames after a lost key frame are not usable.
	if k.lost++; k.lost > maxLost || k.onKey {
		return k.refused(fault.TranscoderFailed, text, err)
	}
	if err != nil {
		return astiav.ErrInvaliddata // which costs the frame
	}
	return nil
}

// lostFrame reports whether a good device refused a frame.
func (k *keptDecoder) lostFrame(text string, err error) bool {
	if k.pick.made() == 0 {
		return false
	}
	_, said := errors.AsType[*deviceError](err)
	return said && !tolerable(err) || strings.Contains(text, "cuvid")
}

func (k *keptDecoder) refused(code fault.Code, text string, err error) *refusal {
	return &refusal{err: &fault.Fault{Code: code, Op: opDecode, Detail: text, Err: err}}
}

// belongs reports whether a frame is of the present segment.
func (k *keptDecoder) belongs(f *astiav.Frame) bool { return k.markers.frame(markOf(f)) }

// presentable refuses frames that libav does not download correctly from a device, so that
// the CPU decodes them: it ignores cropping at the left or the top, and reads the chroma
// of an odd number of rows one row too early.
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

// end outputs the segment's last frames with drain, and leaves the decoder ready for the next
// segment.
func (k *keptDecoder) end(feed func(*astiav.Packet) error, drain func() error) error {
	if k.byMarkers && k.idr != nil {
		for k.markers.marker() {
			if err := k.sendMarker(drain); err != nil {
				return err
			}
		}
		if k.markers.complete() {
			return k.requireFrame()
		}
	}
	if err := feed(nil); err != nil {
		return err
	}
	flushCodec(k.c)
	return k.requireFrame()
}

// requireFrame fails when the device refused all frames of the segment.
func (k *keptDecoder) requireFrame() error {
	if k.lost > 0 && k.markers.shown == 0 {
		return k.refused(fault.InvalidData, "no frame of the segment was decoded", nil)
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
