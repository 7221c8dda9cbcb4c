package aiapi

import (
	"math/big"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
)

// modalities are what a model reads and makes, in OpenRouter's form. A language model may read more than text, where
// its orchestrators do not say it.
type modalities struct {
	Input  []string `json:"input_modalities"`
	Output []string `json:"output_modalities"`
}

// tokenPrices are in dollars for a token, in OpenRouter's form.
type tokenPrices struct {
	Prompt     string `json:"prompt"`
	Completion string `json:"completion"`
}

// unitPrices are in wei for a unit, whole numbers or "a/b".
type unitPrices struct {
	Low  string `json:"low"`
	High string `json:"high"`
}

// Kinds of media.
const (
	textMedia      = "text"
	imageMedia     = "image"
	audioMedia     = "audio"
	videoMedia     = "video"
	embeddingMedia = "embeddings"
	rankMedia      = "rerank"
)

// pipelineModalities are those of the pipelines but llm. Read-only.
var pipelineModalities = map[capability.ID]modalities{
	capability.TextToImage:  {[]string{textMedia}, []string{imageMedia}},
	capability.ImageToImage: {[]string{textMedia, imageMedia}, []string{imageMedia}},
	capability.ImageToVideo: {[]string{imageMedia}, []string{videoMedia}},
	capability.Upscale:      {[]string{textMedia, imageMedia}, []string{imageMedia}},
	capability.AudioToText:  {[]string{audioMedia}, []string{textMedia}},
	capability.ImageToText:  {[]string{textMedia, imageMedia}, []string{textMedia}},
	capability.TextToSpeech: {[]string{textMedia}, []string{audioMedia}},
}

// rate returns what a dollar is in wei, nil while that is not known.
func (s *Server) rate() *big.Rat {
	if s.opt.WeiPerUSD == nil {
		return nil
	}
	if rate, known := s.opt.WeiPerUSD(false); known && rate != nil && rate.Sign() > 0 {
		return rate
	}
	return nil
}

// describe adds what the model reads, makes and costs, as far as known.
func (m *modelObject) describe(model inference.Model, prices *inference.PriceRange, weiPerUSD *big.Rat) {
	if of, ok := pipelineModalities[model.Capability]; ok {
		m.Architecture = &of
	}
	// Where a model makes both, the price of a request is that of its answer.
	answers := len(m.Operations) == 0 || slices.ContainsFunc(m.Operations, inference.Operation.Generates)
	if model.Capability == capability.LLM {
		m.Architecture = &modalities{Input: []string{textMedia}}
		m.describeFeatures()
		if answers {
			m.Architecture.Output = append(m.Architecture.Output, textMedia)
		}
		if slices.Contains(m.Operations, inference.Embedding) {
			m.Architecture.Output = append(m.Architecture.Output, embeddingMedia)
		}
		if slices.Contains(m.Operations, inference.Rerank) {
			m.Architecture.Output = append(m.Architecture.Output, rankMedia)
		}
	}
	if prices == nil {
		return
	}
	m.PriceWei = &unitPrices{prices.Low.RatString(), prices.High.RatString()}
	if model.Capability != capability.LLM || weiPerUSD == nil {
		return
	}
	m.Pricing = &tokenPrices{"0", decimal(new(big.Rat).Quo(prices.Low, weiPerUSD))}
	if !answers {
		m.Pricing.Prompt, m.Pricing.Completion = m.Pricing.Completion, m.Pricing.Prompt
	}
}

// featureParameters are the fields that ask for each feature. Read-only.
var featureParameters = []struct {
	feature inference.FeatureSet
	fields  []string
}{
	{inference.Tools, []string{"tools", "tool_choice"}},
	{inference.JSONSchema, []string{"response_format", "structured_outputs"}},
	{inference.Logprobs, []string{"logprobs", "top_logprobs"}},
}

// describeFeatures adds what orchestrators say that a language model can do.
func (m *modelObject) describeFeatures() {
	if m.has&inference.Vision != 0 {
		m.Architecture.Input = append(m.Architecture.Input, imageMedia)
	}
	if m.has&inference.AudioInput != 0 {
		m.Architecture.Input = append(m.Architecture.Input, audioMedia)
	}
	for _, p := range featureParameters {
		if m.has&p.feature != 0 {
			m.SupportedParameters = append(m.SupportedParameters, p.fields...)
		}
	}
}

// decimal writes a number with 18 places at most.
func decimal(n *big.Rat) string {
	const places = 18
	return strings.TrimSuffix(strings.TrimRight(n.FloatString(places), "0"), ".")
}
