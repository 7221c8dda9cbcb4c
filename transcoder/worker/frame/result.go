package frame

import (
	"time"

	"github.com/tuttinode/tutti/core"
)

// EncodeResult puts all of a result but the renditions' bytes into a message.
// inSlot says that they lie in the job's slot; otherwise they follow.
func EncodeResult(res *core.TranscodeResult, inSlot bool) []byte {
	var e encoder
	e.flag(inSlot)
	e.num(int64(res.DecodedFrames))
	e.num(int64(res.DecodedPixels))
	e.num(int64(res.MediaTime))
	e.num(int64(res.SourceDuration))
	e.num(int64(len(res.Renditions)))
	for i := range res.Renditions {
		r := &res.Renditions[i]
		e.num(int64(r.Frames))
		e.num(int64(r.Pixels))
		e.num(int64(len(r.Data)))
		e.num(int64(len(r.Signature)))
	}
	return e.b
}

// Payloads are a result's bytes, in the order in which they are sent.
func Payloads(res *core.TranscodeResult) (payloads [][]byte) {
	for i := range res.Renditions {
		payloads = append(payloads, res.Renditions[i].Data, res.Renditions[i].Signature)
	}
	return payloads
}

// DecodeResult reads a result that has to hold exactly want renditions and
// allocates their buffers, which the returned payload fills, from the job's slot
// when inSlot. Numbers that no honest worker could send are malformed.
func DecodeResult(b []byte, want int) (_ *core.TranscodeResult, _ *Payload, inSlot bool, err error) {
	d := decoder{b: b}
	inSlot = d.flag()
	res := &core.TranscodeResult{
		DecodedFrames:  core.Frames(d.within("decoded frames", 0, maxFrames)),
		DecodedPixels:  core.Pixels(d.within("decoded pixels", 0, maxPixels)),
		MediaTime:      time.Duration(d.within("media time", 0, maxDuration)),
		SourceDuration: time.Duration(d.within("source duration", 0, maxDuration)),
	}
	if n := d.num(); d.err == nil && n != int64(want) {
		return nil, nil, false, errorf("%d renditions where %d were asked for", n, want)
	}
	lengths := make([]int, 0, 2*want)
	var total int64
	for range want {
		res.Renditions = append(res.Renditions, core.Rendition{
			Frames: core.Frames(d.within("frames", 0, maxFrames)),
			Pixels: core.Pixels(d.within("pixels", 0, maxPixels)),
		})
		data := d.within("a rendition's length", 0, core.MaxSegmentBytes)
		sig := d.within("a signature's length", 0, maxSignature)
		if total += data + sig; total > maxResultBytes {
			d.fail("renditions of more than %d bytes", int64(maxResultBytes))
		}
		lengths = append(lengths, int(data), int(sig))
	}
	if err := d.end(); err != nil {
		return nil, nil, false, err
	}
	payload, bufs := NewPayload(lengths...)
	for i := range res.Renditions {
		res.Renditions[i].Data = bufs[2*i]
		if sig := bufs[2*i+1]; len(sig) > 0 {
			res.Renditions[i].Signature = sig
		}
	}
	return res, payload, inSlot, nil
}
