package ai

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/textproto"
	"strconv"
	"strings"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
)

// What a video is made with where the request leaves it open.
const (
	videoFPS    = 7
	videoWidth  = 1024
	videoHeight = 576
)

// mediaAnswer is what the pipelines of pictures, video and sound answer.
type mediaAnswer struct {
	Images []medium   `json:"images,omitempty"`
	Frames [][]medium `json:"frames,omitempty"`
	Audio  *medium    `json:"audio,omitempty"`
}

// medium is one picture, video or sound. Seed is as it was written.
type medium struct {
	URL  string          `json:"url"`
	Seed json.RawMessage `json:"seed,omitempty"`
	NSFW *bool           `json:"nsfw,omitempty"`
}

// mediaFile is what goes beside an answer.
type mediaFile struct {
	name, kind string
	data       []byte
}

// media takes the files out of an answer whose pipeline makes some; what stands in
// their place are their names.
func (t *networkTask) media(ctx context.Context, text []byte) ([]mediaFile, []byte, error) {
	switch t.job.Model.Capability {
	case capability.TextToImage, capability.ImageToImage, capability.ImageToVideo, capability.Upscale, capability.TextToSpeech:
	default:
		return nil, text, nil
	}
	var a mediaAnswer
	if err := json.Unmarshal(text, &a); err != nil {
		return nil, nil, unusable("the runner's answer is no JSON of its pipeline")
	}
	for _, frames := range a.Frames {
		if len(frames) == 0 {
			continue
		}
		video, err := t.video(ctx, frames)
		if err != nil {
			return nil, nil, err
		}
		a.Images = append(a.Images, video)
	}
	a.Frames = nil
	var files []mediaFile
	all := make([]*medium, 0, len(a.Images)+1)
	for i := range a.Images {
		all = append(all, &a.Images[i])
	}
	if a.Audio != nil {
		all = append(all, a.Audio)
	}
	for _, m := range all {
		f, err := t.file(m.URL)
		if err != nil {
			return nil, nil, err
		}
		m.URL = f.name
		files = append(files, f)
	}
	if len(files) == 0 {
		return nil, nil, unusable("the runner's answer has no picture, video or sound")
	}
	text, err := json.Marshal(a)
	if err != nil {
		return nil, nil, fault.Wrap(fault.ResponseUnusable, opJob, err)
	}
	return files, text, nil
}

// file is what a data URL holds, under a fresh name.
func (t *networkTask) file(url string) (mediaFile, error) {
	kind, data, ok := dataURL(url)
	ext := orchestrate.ArtifactExt(kind)
	if !ok || ext == "" {
		return mediaFile{}, unusable("the runner's answer has media that cannot be read")
	}
	return mediaFile{name: randomHex(t.w.opt.Random) + "." + ext, kind: kind, data: data}, nil
}

// video makes one of frames. It has the seed of its first frame.
func (t *networkTask) video(ctx context.Context, frames []medium) (medium, error) {
	if t.w.opt.Frames == nil {
		return medium{}, fault.New(fault.VideoEncoderMissing, opJob, "")
	}
	pictures := make([][]byte, len(frames))
	out := medium{Seed: frames[0].Seed, NSFW: frames[0].NSFW}
	for i, f := range frames {
		kind, data, ok := dataURL(f.URL)
		if !ok || kind != "image/png" {
			return medium{}, unusable("the runner's answer has a frame that is no PNG")
		}
		pictures[i] = data
		if f.NSFW != nil && *f.NSFW {
			out.NSFW = f.NSFW
		}
	}
	fps, width, height := t.req.FPS, t.req.Width, t.req.Height
	if fps == 0 {
		fps = videoFPS
	}
	if width == 0 {
		width = videoWidth
	}
	if height == 0 {
		height = videoHeight
	}
	mp4, err := t.w.opt.Frames.EncodeMP4(ctx, pictures, fps, width, height)
	if err != nil {
		return medium{}, err
	}
	out.URL = "data:video/mp4;base64," + base64.StdEncoding.EncodeToString(mp4)
	return out, nil
}

// mixed is an answer in the network's form: the files, then the JSON.
func mixed(files []mediaFile, text []byte) (body []byte, contentType string, err error) {
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	for _, f := range files {
		h := textproto.MIMEHeader{}
		h.Set("Content-Disposition", "attachment; filename="+f.name)
		if err := writePart(w, h, f.kind, f.data); err != nil {
			return nil, "", err
		}
	}
	if err := writePart(w, textproto.MIMEHeader{}, jsonType, text); err != nil {
		return nil, "", err
	}
	if err := w.Close(); err != nil {
		return nil, "", err
	}
	return out.Bytes(), "multipart/mixed; boundary=" + w.Boundary(), nil
}

func writePart(w *multipart.Writer, h textproto.MIMEHeader, kind string, data []byte) error {
	h.Set("Content-Type", kind)
	h.Set("Content-Length", strconv.Itoa(len(data)))
	part, err := w.CreatePart(h)
	if err == nil {
		_, err = part.Write(data)
	}
	return err
}

// dataURL reads "data:<type>;base64,<bytes>".
func dataURL(url string) (kind string, data []byte, ok bool) {
	rest, isData := strings.CutPrefix(url, "data:")
	head, text, found := strings.Cut(rest, ",")
	kind, encoded := strings.CutSuffix(head, ";base64")
	if !isData || !found || !encoded {
		return "", nil, false
	}
	kind, _, _ = strings.Cut(kind, ";")
	data, err := base64.StdEncoding.DecodeString(text)
	return strings.ToLower(kind), data, err == nil && len(data) > 0
}

func unusable(what string) error { return fault.New(fault.ResponseUnusable, opJob, what) }

// randomHex is a name of eight digits.
func randomHex(random io.Reader) string {
	var id [4]byte
	// A source that fails gives names that are alike, which the orchestrator refuses.
	_, _ = io.ReadFull(random, id[:])
	return hex.EncodeToString(id[:])
}
