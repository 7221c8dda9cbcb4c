package pipeline

import (
	"slices"

	"github.com/tuttinode/tutti/core/capability"
)

// Form is how a request's body is written.
type Form int

// The forms.
const (
	// JSON is application/json.
	JSON Form = iota
	// Multipart is multipart/form-data, with a file among its parts.
	Multipart
)

// Pipeline is one of the network's kinds of AI work.
type Pipeline struct {
	Capability capability.ID
	// Name is the pipeline's name, "text-to-image"; Path where nodes take it,
	// "/text-to-image".
	Name, Path string
	Form       Form
	// File is the part with the input of a multipart form, "image" or "audio".
	File string
	// DefaultModel is what a gateway asks for where its client names no model.
	DefaultModel string
}

// modelField returns the field of a request that names its model.
func (p Pipeline) modelField() string {
	if p.Capability == capability.LLM {
		return "model"
	}
	return "model_id"
}

// table is in the order of capabilities. Read-only.
var table = []Pipeline{
	of(capability.TextToImage, JSON, "", "stabilityai/sdxl-turbo"),
	of(capability.ImageToImage, Multipart, imageField, "stabilityai/sdxl-turbo"),
	of(capability.ImageToVideo, Multipart, imageField, "stabilityai/stable-video-diffusion-img2vid-xt"),
	of(capability.Upscale, Multipart, imageField, "stabilityai/stable-diffusion-x4-upscaler"),
	of(capability.AudioToText, Multipart, audioField, "openai/whisper-large-v3"),
	of(capability.SegmentAnything2, Multipart, imageField, "facebook/sam2-hiera-large"),
	of(capability.LLM, JSON, "", "meta-llama/llama-3.1-8B-Instruct"),
	of(capability.ImageToText, Multipart, imageField, "Salesforce/blip-image-captioning-large"),
	of(capability.TextToSpeech, JSON, "", "parler-tts/parler-tts-large-v1"),
}

// The names of the file parts.
const (
	imageField = "image"
	audioField = "audio"
)

func of(id capability.ID, form Form, file, model string) Pipeline {
	name := id.Pipeline()
	return Pipeline{Capability: id, Name: name, Path: "/" + name, Form: form, File: file, DefaultModel: model}
}

// Table lists the pipelines that requests are taken for. The caller may change
// the slice.
func Table() []Pipeline { return slices.Clone(table) }

// Lookup finds a capability's pipeline.
func Lookup(id capability.ID) (Pipeline, bool) {
	for _, p := range table {
		if p.Capability == id {
			return p, true
		}
	}
	return Pipeline{}, false
}
