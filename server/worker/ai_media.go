package worker

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/textproto"
	"strconv"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/core/pipeline"
)

// mediaFile is what goes with an answer.
type mediaFile struct {
	name, kind string
	data       []byte
}

// media takes the files out of an answer whose pipeline makes some; what is in
// their place are their names.
func (t *networkTask) media(ctx context.Context, text []byte) ([]mediaFile, []byte, error) {
	switch t.job.Model.Capability {
	case capability.TextToImage, capability.ImageToImage, capability.ImageToVideo, capability.Upscale,
		capability.TextToSpeech:
	default:
		return nil, text, nil
	}
	var a pipeline.MediaAnswer
	if err := json.Unmarshal(text, &a); err != nil {
		return nil, nil, unusable("the runner's answer is no JSON of its pipeline")
	}
	var encode pipeline.EncodeMP4
	if t.w.opt.Frames != nil {
		encode = t.w.opt.Frames.EncodeMP4
	}
	if err := a.MakeVideos(ctx, pipeline.VideoOptions{FPS: t.req.FPS, Width: t.req.Width, Height: t.req.Height},
		encode); err != nil {
		return nil, nil, err
	}
	var files []mediaFile
	all := make([]*pipeline.Medium, 0, len(a.Images)+1)
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
		return nil, nil, unusable("the runner's answer has no image, video or sound")
	}
	text, err := json.Marshal(a)
	if err != nil {
		return nil, nil, fault.Wrap(fault.ResponseUnusable, opJob, err)
	}
	return files, text, nil
}

// file returns what a data URL holds, under a fresh name.
func (t *networkTask) file(url string) (mediaFile, error) {
	kind, data, err := pipeline.DataURL(url)
	ext := orchestrate.ArtifactExt(kind)
	if err != nil || ext == "" {
		return mediaFile{}, unusable("the runner's answer has media that cannot be read")
	}
	return mediaFile{name: randomHex(t.w.opt.Random) + "." + ext, kind: kind, data: data}, nil
}

// mixed returns an answer in the network's form: the files, then the JSON.
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

func unusable(what string) error { return fault.New(fault.ResponseUnusable, opJob, what) }

// randomHex returns a name of eight digits.
func randomHex(random io.Reader) string {
	var id [4]byte
	// A source that fails gives names that are alike, which the orchestrator refuses.
	_, _ = io.ReadFull(random, id[:])
	return hex.EncodeToString(id[:])
}
