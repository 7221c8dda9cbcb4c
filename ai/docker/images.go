package docker

import (
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
)

// DefaultImage is the runner of pipelines without an image of their own.
const DefaultImage = "livepeer/ai-runner:latest"

// Images maps pipelines and models to images. The zero value has the built-in ones.
type Images struct {
	// Default is for pipelines without an image of their own; "" is DefaultImage.
	Default string
	// Batch are images by pipeline; Live by model of live-video-to-video. They override the
	// built-in ones.
	Batch, Live map[string]string
}

// batchImages returns the built-in images of pipelines that have their own.
func batchImages() map[string]string {
	return map[string]string{
		capability.SegmentAnything2.Pipeline(): "livepeer/ai-runner:segment-anything-2",
		capability.TextToSpeech.Pipeline():     "livepeer/ai-runner:text-to-speech",
		capability.AudioToText.Pipeline():      "livepeer/ai-runner:audio-to-text",
		capability.LLM.Pipeline():              "livepeer/ai-runner:llm",
	}
}

// liveImages returns the built-in images of live models.
func liveImages() map[string]string {
	m := map[string]string{"scope": "daydreamlive/scope-runner"}
	for _, name := range []string{
		"streamdiffusion", "streamdiffusion-sd15", "streamdiffusion-sd15-v2v", "streamdiffusion-sdxl",
		"streamdiffusion-sdxl-v2v", "streamdiffusion-sdxl-faceid", "comfyui", "segment_anything_2", "noop",
	} {
		m[name] = "livepeer/ai-runner:live-app-" + name
	}
	return m
}

// For returns the image of a model. entry is the image of the model's entry in aiModels.json,
// "" for none; it takes precedence. An unknown live model has no image: then the error is
// ImageOverridesInvalid.
func (i Images) For(pipeline, model, entry string) (string, error) {
	if entry != "" {
		return entry, nil
	}
	if pipeline == capability.LiveVideoToVideo.Pipeline() {
		return i.live(model)
	}
	if image := i.Batch[pipeline]; image != "" {
		return image, nil
	}
	if image := batchImages()[pipeline]; image != "" {
		return image, nil
	}
	if i.Default != "" {
		return i.Default, nil
	}
	return DefaultImage, nil
}

func (i Images) live(model string) (string, error) {
	if image := i.Live[model]; image != "" {
		return image, nil
	}
	if image := liveImages()[model]; image != "" {
		return image, nil
	}
	return "", fault.New(fault.ImageOverridesInvalid, "choose image",
		"no runner image is known for the live model "+quote(model)+`; name one under "live" in -aiRunnerImageOverrides`)
}
