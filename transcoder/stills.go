package transcoder

import (
	"context"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// The network's figures for such videos.
const (
	// bitrate in bits per second.
	bitrate = 6_000_000
	// maxFrames bounds a video; pipelines make 25 frames or so.
	maxFrames = 1000
	maxRate   = 240
)

// EncodeStills makes an H.264 MP4 file of PNG frames of one size, shown fps times a
// second, width pixels wide; the height follows the frames' shape. session must
// be the caller's own: it exists for this one call. Errors are the transcoder's,
// and TranscoderInvalidInput for frames that cannot be a video.
func EncodeStills(
	ctx context.Context, t core.Transcoder, session core.SessionID, frames [][]byte, fps float64, width, height int,
) ([]byte, error) {
	const op = "make video of frames"
	if len(frames) == 0 || len(frames) > maxFrames {
		return nil, fault.New(fault.TranscoderInvalidInput, op,
			fmt.Sprintf("%d frames, 1 to %d are possible", len(frames), maxFrames))
	}
	if fps < 0.1 || fps > maxRate {
		return nil, fault.New(fault.TranscoderInvalidInput, op, fmt.Sprintf("%g frames per second", fps))
	}
	file, err := wrap(frames, fps)
	if err != nil {
		return nil, fault.Wrap(fault.TranscoderInvalidInput, op, err)
	}
	defer t.EndSession(session)
	res, err := t.Transcode(ctx, &core.TranscodeJob{
		Session: session, Manifest: core.ManifestID(session), Input: file,
		Duration: time.Duration(float64(len(frames)) / fps * float64(time.Second)),
		Profiles: []core.Profile{{
			Name: "video", Width: width, Height: height, Bitrate: bitrate, Format: core.FormatMP4,
		}},
	})
	if err != nil {
		return nil, err
	}
	if len(res.Renditions) != 1 {
		return nil, fault.New(fault.MismatchedSegments, op, "")
	}
	return res.Renditions[0].Data, nil
}
