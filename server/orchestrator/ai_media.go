package orchestrator

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/core/pipeline"
)

var (
	errNoMedia = errors.New("no image, video or sound")
	errMedia   = errors.New("media of an unknown type")
)

// relayMedia answers with URLs of the media, or with the media itself if the gateway did not
// announce that it fetches.
func (x *aiJob) relayMedia(reply *inference.Reply) error {
	body, err := x.readAnswer(reply)
	if err != nil {
		return err
	}
	defer body.release()
	var a pipeline.MediaAnswer
	if err := json.Unmarshal(body.data, &a); err != nil {
		return unusable(errors.New("no JSON of its pipeline"))
	}
	if err := x.videos(&a); err != nil {
		return err
	}
	if len(a.Images) == 0 && a.Audio == nil {
		return unusable(errNoMedia)
	}
	if x.byURL {
		if err := x.store(&a); err != nil {
			return err
		}
	}
	out, err := json.Marshal(a)
	if err != nil {
		return unusable(err)
	}
	return x.sendJSON(out)
}

// videos encodes every list of frames as a video. This time does not count as waiting.
func (x *aiJob) videos(a *pipeline.MediaAnswer) error {
	var encode pipeline.EncodeMP4
	if x.s.opt.Frames != nil {
		encode = func(ctx context.Context, frames [][]byte, fps float64, width, height int) ([]byte, error) {
			defer x.addWait(x.s.opt.Now())
			return x.s.opt.Frames.EncodeMP4(ctx, frames, fps, width, height)
		}
	}
	return a.MakeVideos(x.r.Context(), pipeline.VideoOptions{FPS: x.req.FPS, Width: x.req.Width, Height: x.req.Height},
		encode)
}

// store stores all media for download, and replaces them with their URLs.
func (x *aiJob) store(a *pipeline.MediaAnswer) error {
	all := a.Images
	for i := range all {
		if err := x.storeOne(&all[i]); err != nil {
			return err
		}
	}
	if a.Audio != nil {
		return x.storeOne(a.Audio)
	}
	return nil
}

func (x *aiJob) storeOne(m *pipeline.Medium) error {
	kind, data, err := pipeline.DataURL(m.URL)
	if err != nil {
		return unusable(err)
	}
	ext := orchestrate.ArtifactExt(kind)
	if ext == "" {
		return unusable(errMedia)
	}
	m.URL, err = x.s.orch.KeepArtifact(x.f.RequestID, ext, data)
	return err
}
