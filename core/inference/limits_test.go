package inference_test

import (
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
)

func TestLimits(t *testing.T) {
	t.Parallel()
	l := inference.Limits{}.OrDefault()
	chat := func(j inference.Job) inference.Job {
		j.Model.Capability, j.Operation = capability.LLM, inference.Chat
		return j
	}
	embed := chat(inference.Job{Body: make([]byte, 30<<10)})
	embed.Operation = inference.Embedding
	for name, row := range map[string]struct {
		job  inference.Job
		want time.Duration
	}{
		"stream":                   {chat(inference.Job{Stream: true}), time.Minute},
		"stream after a long text": {chat(inference.Job{Stream: true, Body: make([]byte, 60<<10)}), 2 * time.Minute},
		"stream about an image":    {chat(inference.Job{Stream: true, Body: make([]byte, 60<<20)}), 3 * time.Minute},
		"chat":                     {chat(inference.Job{MaxTokens: 300}), 2 * time.Minute},
		"chat without a bound":     {chat(inference.Job{}), 15 * time.Minute},
		"chat with any bound":      {chat(inference.Job{MaxTokens: 1 << 62}), 15 * time.Minute},
		"embeddings":               {embed, 90 * time.Second},
		"an image": {inference.Job{Model: inference.Model{Capability: capability.TextToImage}},
			15 * time.Minute},
	} {
		if got := l.Begin(&row.job); got != row.want {
			t.Errorf("%s: %v, want %v", name, got, row.want)
		}
	}
	if got := (inference.Limits{FirstByte: time.Hour, Whole: time.Minute}).Begin(&inference.Job{Stream: true,
		Model: embed.Model}); got != time.Minute {
		t.Errorf("a stream may take %v, all others a minute", got)
	}
}
