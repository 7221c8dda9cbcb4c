package worker

import (
	"math"
	"time"

	"github.com/tuttinode/tutti/transcoder"
)

// EncodeProbed makes the message of what a look at media found.
func EncodeProbed(i transcoder.MediaInfo) []byte {
	var e encoder
	e.num(int64(i.Status))
	for _, s := range [...]string{i.Container, i.VideoCodec, i.AudioCodec, i.PixelFormat} {
		e.text(clipText(s, maxName))
	}
	e.num(int64(i.Width))
	e.num(int64(i.Height))
	e.num(int64(math.Float64bits(i.FPS)))
	e.num(int64(i.Duration))
	e.num(i.AudioBitrate)
	return e.b
}

// DecodeProbed reads what a look at media found.
func DecodeProbed(b []byte) (transcoder.MediaInfo, error) {
	d := decoder{b: b}
	i := transcoder.MediaInfo{Status: transcoder.ProbeStatus(d.within("a probe's status", int64(transcoder.ProbeFailed),
		int64(transcoder.ProbeMissing)))}
	for _, s := range [...]*string{&i.Container, &i.VideoCodec, &i.AudioCodec, &i.PixelFormat} {
		*s = d.text("a name", maxName)
	}
	i.Width = int(d.within("a width", 0, maxDimension))
	i.Height = int(d.within("a height", 0, maxDimension))
	i.FPS = math.Float64frombits(uint64(d.num()))
	i.Duration = time.Duration(d.within("a duration", 0, math.MaxInt64))
	i.AudioBitrate = d.within("a bitrate", 0, math.MaxInt64)
	if math.IsNaN(i.FPS) || math.IsInf(i.FPS, 0) || i.FPS < 0 {
		d.fail("a frame rate that is no number")
	}
	return i, d.end()
}
