package inference_test

import (
	"testing"

	"github.com/tuttinode/tutti/core/inference"
)

// The texts are those of common model servers.
func TestSaysTooLong(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"error":{"message":"This model's maximum context length is 4096 tokens. However, you requested 5000"}}`,
		`{"error":{"code":"context_length_exceeded"}}`,
		`{"error":{"code":400,"message":"the request exceeds the available context size",` +
			`"type":"exceed_context_size_error"}}`,
		"the input length exceeds the context length",
		"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096",
	} {
		if !inference.SaysTooLong([]byte(text)) {
			t.Errorf("not taken for too long: %s", text)
		}
	}
	for _, text := range []string{"", "tools are not supported", `{"error":{"message":"messages[0]: no text"}}`} {
		if inference.SaysTooLong([]byte(text)) {
			t.Errorf("taken for too long: %s", text)
		}
	}
}
