package libav

import (
	"context"

	"github.com/tuttinode/tutti/transcoder"
)

var _ transcoder.Prober = (*Engine)(nil)

// Probe returns the function Probe as a method, so that the engine serves a media
// worker as prober too.
func (e *Engine) Probe(ctx context.Context, segment []byte) (transcoder.MediaInfo, error) {
	i, err := Probe(ctx, segment)
	return transcoder.MediaInfo{
		Status: transcoder.ProbeStatus(i.Status), Container: i.Container,
		VideoCodec: i.VideoCodec, AudioCodec: i.AudioCodec, PixelFormat: i.PixelFormat,
		Width: i.Width, Height: i.Height, FPS: i.FPS, Duration: i.Duration, AudioBitrate: i.AudioBitrate,
	}, err
}
