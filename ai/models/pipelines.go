package models

import (
	"github.com/tuttinode/tutti/core/capability"
)

// GB is the unit of GPU memory: a billion bytes. A GPU sold as 24 GB has a little more, so
// that a model that needs 24 GB fits.
const GB = 1_000_000_000

// Pipeline describes a pipeline that a models file may name.
type Pipeline struct {
	Capability capability.ID
	// Unit is what one unit of work is, for prices.
	Unit string
	// VRAM is the GPU memory that one of its models needs, in bytes; 0 if it depends on the
	// model.
	VRAM int64
	// Images means that its runner supports SFAST and DEEPCACHE.
	Images bool
}

// LargeModels are models that need more GPU memory than their pipeline's default, in bytes
// with 4-bit weights.
func LargeModels() map[string]int64 {
	return map[string]int64{"meta-llama/Meta-Llama-3.1-70B-Instruct": 40 * GB}
}

// Name returns the pipeline's name in the network.
func (p Pipeline) Name() string { return p.Capability.Pipeline() }

// Pipelines returns those that a models file may name, in the network's order.
func Pipelines() []Pipeline {
	return []Pipeline{
		{capability.TextToImage, "output pixel", 24 * GB, true},
		{capability.ImageToImage, "input pixel", 20 * GB, true},
		{capability.ImageToVideo, "output pixel", 24 * GB, true},
		{capability.Upscale, "input pixel", 24 * GB, true},
		{capability.AudioToText, "millisecond of audio", 12 * GB, false},
		{capability.SegmentAnything2, "input pixel", 6 * GB, false},
		{capability.LLM, "output token asked for", 16 * GB, false},
		{capability.ImageToText, "input pixel", 4 * GB, false},
		{capability.LiveVideoToVideo, "input pixel", 0, false},
		{capability.TextToSpeech, "byte of text", 12 * GB, false},
	}
}

// pipelineNamed finds a pipeline by the network's rule for names.
func pipelineNamed(name string) (Pipeline, bool) {
	id, err := capability.FromPipeline(name)
	if err != nil {
		return Pipeline{}, false
	}
	return pipelineOf(id)
}

func pipelineOf(id capability.ID) (Pipeline, bool) {
	for _, p := range Pipelines() {
		if p.Capability == id {
			return p, true
		}
	}
	return Pipeline{}, false
}

// pipelineNames returns the names that an entry may have.
func pipelineNames() []string {
	var out []string
	for _, p := range Pipelines() {
		out = append(out, p.Name())
	}
	return out
}
