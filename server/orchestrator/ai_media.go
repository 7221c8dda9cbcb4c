package orchestrator

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/orchestrate"
)

// What a video is made with where the request leaves it open.
const (
	videoFPS    = 7
	videoWidth  = 1024
	videoHeight = 576
)

// mediaAnswer is what the pipelines of pictures, video and sound answer. A field
// that is not there stays away.
type mediaAnswer struct {
	Images []media   `json:"images,omitempty"`
	Frames [][]media `json:"frames,omitempty"`
	Audio  *media    `json:"audio,omitempty"`
}

// media is one picture, video or sound. Seed is as it was written: a number may
// be larger than what others hold.
type media struct {
	URL  string          `json:"url"`
	Seed json.RawMessage `json:"seed,omitempty"`
	NSFW *bool           `json:"nsfw,omitempty"`
}

var (
	errNoMedia = errors.New("no picture, video or sound")
	errDataURL = errors.New("a data URL that cannot be read")
	errMedia   = errors.New("media of an unknown type")
)

// relayMedia answers with URLs from which the media can be fetched, or with the
// media itself to a gateway that did not say that it fetches.
func (x *exchange) relayMedia(reply *inference.Reply) error {
	body, err := x.whole(reply)
	if err != nil {
		return err
	}
	defer body.release()
	var a mediaAnswer
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
		if err := x.keep(&a); err != nil {
			return err
		}
	}
	out, err := json.Marshal(a)
	if err != nil {
		return unusable(err)
	}
	return x.send(out)
}

// videos makes every list of frames a video.
func (x *exchange) videos(a *mediaAnswer) error {
	for _, frames := range a.Frames {
		if len(frames) == 0 {
			continue
		}
		video, err := x.video(frames)
		if err != nil {
			return err
		}
		a.Images = append(a.Images, video)
	}
	a.Frames = nil
	return nil
}

// video makes one of frames. It has the seed of its first frame.
func (x *exchange) video(frames []media) (media, error) {
	const op = "encode video"
	if x.s.opt.Frames == nil {
		return media{}, fault.New(fault.VideoEncoderMissing, op, "")
	}
	pictures := make([][]byte, len(frames))
	video := media{Seed: frames[0].Seed, NSFW: frames[0].NSFW}
	for i, f := range frames {
		kind, data, err := dataURL(f.URL)
		if err != nil || kind != "image/png" {
			return media{}, unusable(errDataURL)
		}
		pictures[i] = data
		if f.NSFW != nil && *f.NSFW {
			video.NSFW = f.NSFW
		}
	}
	fps, width, height := x.req.FPS, x.req.Width, x.req.Height
	if fps == 0 {
		fps = videoFPS
	}
	if width == 0 {
		width = videoWidth
	}
	if height == 0 {
		height = videoHeight
	}
	begun := x.s.opt.Now()
	mp4, err := x.s.opt.Frames.EncodeMP4(x.r.Context(), pictures, fps, width, height)
	x.wait(begun)
	if err != nil {
		return media{}, err
	}
	video.URL = "data:video/mp4;base64," + base64.StdEncoding.EncodeToString(mp4)
	return video, nil
}

// keep puts everything up for download, and its URL in its place.
func (x *exchange) keep(a *mediaAnswer) error {
	all := a.Images
	for i := range all {
		if err := x.keepOne(&all[i]); err != nil {
			return err
		}
	}
	if a.Audio != nil {
		return x.keepOne(a.Audio)
	}
	return nil
}

func (x *exchange) keepOne(m *media) error {
	if !strings.HasPrefix(m.URL, "data:") {
		return unusable(errDataURL)
	}
	kind, data, err := dataURL(m.URL)
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

// dataURL reads "data:<type>;base64,<bytes>".
func dataURL(url string) (kind string, data []byte, err error) {
	rest, ok := strings.CutPrefix(url, "data:")
	head, text, found := strings.Cut(rest, ",")
	kind, encoded := strings.CutSuffix(head, ";base64")
	if !ok || !found || !encoded {
		return "", nil, errDataURL
	}
	kind, _, _ = strings.Cut(kind, ";")
	data, err = base64.StdEncoding.DecodeString(text)
	if err != nil || len(data) == 0 {
		return "", nil, errDataURL
	}
	return strings.ToLower(kind), data, nil
}
