package pipelines

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image/png"
	"net/http"
	"strconv"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/pipeline"
)

// Frames is the length of the runner's videos.
const Frames = 25

// seed is larger than a float can hold, as seeds of the network may be.
const seed = 9007199254740993

// answer does a job with the contract's checks.
func (r *Runner) answer(p pipeline.Pipeline, in Request, w http.ResponseWriter) {
	width, height, ok := size(p, in)
	switch {
	case !ok:
		Refuse(w, http.StatusBadRequest, "cannot identify image file")
	case needsPrompt(p) && in.Fields["prompt"] == "":
		refuseField(w, "prompt", "Field required")
	case p.Capability == capability.ImageToVideo && (width%8 != 0 || height%8 != 0):
		Refuse(w, http.StatusBadRequest,
			"`height` and `width` have to be divisible by 8 but are "+strconv.Itoa(height)+" and "+strconv.Itoa(width)+".")
	case p.Capability == capability.TextToSpeech && in.Fields["text"] == "":
		Refuse(w, http.StatusBadRequest, "Text input must be provided.")
	case p.Capability == capability.AudioToText && audioSeconds(in) <= 0:
		Refuse(w, http.StatusBadRequest, "Unable to calculate duration of file")
	default:
		r.reply(p, in, w, width, height)
	}
}

func needsPrompt(p pipeline.Pipeline) bool {
	return p.Capability == capability.TextToImage || p.Capability == capability.ImageToImage ||
		p.Capability == capability.Upscale
}

// size is that of the image asked for, by the contract's defaults, or of the one
// that was sent.
func size(p pipeline.Pipeline, in Request) (width, height int, ok bool) {
	if p.File == "image" {
		cfg, err := png.DecodeConfig(bytes.NewReader(in.File))
		if err != nil {
			return 0, 0, false
		}
		width, height = cfg.Width, cfg.Height
	}
	switch p.Capability {
	case capability.TextToImage, capability.ImageToVideo:
		width, height = in.number("width", 1024), in.number("height", 576)
	case capability.Upscale:
		width, height = 2*width, 2*height
	}
	return width, height, true
}

// audioSeconds is the length that the metadata tell, which the runner needs.
func audioSeconds(in Request) float64 {
	var metadata struct{ Duration string }
	if json.Unmarshal([]byte(in.Fields["metadata"]), &metadata) != nil {
		return 0
	}
	seconds, _ := strconv.ParseFloat(metadata.Duration, 64)
	return seconds
}

func (r *Runner) reply(p pipeline.Pipeline, in Request, w http.ResponseWriter, width, height int) {
	var made [][]byte
	var out map[string]any
	switch p.Capability {
	case capability.TextToImage, capability.ImageToImage, capability.Upscale:
		for i := range in.number("num_images_per_prompt", 1) {
			made = append(made, PNG(width, height, i))
		}
		out = map[string]any{"images": pictures(made)}
	case capability.ImageToVideo:
		for i := range Frames {
			made = append(made, PNG(width, height, i))
		}
		out = map[string]any{"frames": []any{pictures(made)}}
	case capability.TextToSpeech:
		made = [][]byte{WAV(44100, len(in.Fields["text"])*2000)}
		out = map[string]any{"audio": map[string]any{"url": DataURL("audio/wav", made[0])}}
	case capability.AudioToText:
		out = map[string]any{"text": " one two", "chunks": []any{
			map[string]any{"timestamp": []any{0.0, 1.5}, "text": " one"},
			map[string]any{"timestamp": []any{1.5, audioSeconds(in)}, "text": " two"},
		}}
	case capability.SegmentAnything2:
		out = map[string]any{"masks": "[[[0.0, 1.0], [1.0, 0.0]]]", "scores": "[0.25]", "logits": "[[[-1.5]]]"}
	case capability.ImageToText:
		out = map[string]any{"text": "an image of " + strconv.Itoa(width) + " by " + strconv.Itoa(height)}
	}
	r.mu.Lock()
	r.made[p.Name] = made
	r.mu.Unlock()
	send(w, out)
}

func pictures(made [][]byte) []any {
	out := make([]any, len(made))
	for i, data := range made {
		out[i] = map[string]any{"url": DataURL("image/png", data), "seed": seed + i, "nsfw": false}
	}
	return out
}

// DataURL is data as runners send it.
func DataURL(kind string, data []byte) string {
	return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(data)
}
