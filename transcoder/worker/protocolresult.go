package worker

import (
	"time"

	"github.com/tuttinode/tutti/core"
)

// EncodeResult puts all of a result but the renditions' bytes into a message.
// inSlot says that they are in the job's slot; otherwise they follow.
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

// ResultPayloads returns a result's bytes, in the order in which they are sent.
func ResultPayloads(res *core.TranscodeResult) (payloads [][]byte) {
	for i := range res.Renditions {
		payloads = append(payloads, res.Renditions[i].Data, res.Renditions[i].Signature)
	}
	return payloads
}

// ResultMessage is a result as its message announces it: what came of the job, without the
// renditions' bytes.
type ResultMessage struct {
	*core.TranscodeResult
	// InSlot says that the bytes are in the job's slot; otherwise they follow.
	InSlot bool
	// Bytes is how many there are.
	Bytes int64
	// lengths are those of each rendition and its signature.
	lengths []int
}

// DecodeResult reads a result that has to hold exactly want renditions. Numbers that no
// honest worker could send are malformed. It allocates nothing for the renditions'
// bytes: the caller compares Bytes with what it asked for first.
func DecodeResult(b []byte, want int) (*ResultMessage, error) {
	d := decoder{b: b}
	res := &ResultMessage{InSlot: d.flag()}
	res.TranscodeResult = &core.TranscodeResult{
		DecodedFrames:  core.Frames(d.within("decoded frames", 0, maxFrames)),
		DecodedPixels:  core.Pixels(d.within("decoded pixels", 0, maxPixels)),
		MediaTime:      time.Duration(d.within("media time", 0, maxDuration)),
		SourceDuration: time.Duration(d.within("source duration", 0, maxDuration)),
	}
	if n := d.num(); d.err == nil && n != int64(want) {
		return nil, protocolErrorf("%d renditions where %d were asked for", n, want)
	}
	res.lengths = make([]int, 0, 2*want)
	for range want {
		res.Renditions = append(res.Renditions, core.Rendition{
			Frames: core.Frames(d.within("frames", 0, maxFrames)),
			Pixels: core.Pixels(d.within("pixels", 0, maxPixels)),
		})
		data := d.within("a rendition's length", 0, core.MaxSegmentBytes)
		sig := d.within("a signature's length", 0, maxSignature)
		if res.Bytes += data + sig; res.Bytes > maxResultSize {
			d.fail("renditions of more than %d bytes", int64(maxResultSize))
		}
		res.lengths = append(res.lengths, int(data), int(sig))
	}
	if err := d.end(); err != nil {
		return nil, err
	}
	return res, nil
}

// Allocate makes the renditions' buffers, which the returned payload fills.
func (r *ResultMessage) Allocate() *Payload {
	payload, bufs := NewPayload(r.lengths...)
	for i := range r.Renditions {
		r.Renditions[i].Data = bufs[2*i]
		if sig := bufs[2*i+1]; len(sig) > 0 {
			r.Renditions[i].Signature = sig
		}
	}
	return payload
}
