package llama_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/tuttinode/tutti/test/llama"
	"github.com/tuttinode/tutti/test/tinymodel"
)

// The server and the model do what other tests build on: it counts, and says how
// many tokens that took and why it stopped.
func TestServerCounts(t *testing.T) {
	t.Parallel()
	s, err := llama.Start(t.Context(), llama.Options{Model: tinymodel.Options{Words: 12}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop() })
	for _, row := range []struct {
		max    int
		words  int
		reason string
	}{{5, 5, "length"}, {50, 12, "stop"}} {
		body, _ := json.Marshal(map[string]any{
			"model": s.Alias, "max_tokens": row.max, "messages": []map[string]string{{"role": "user", "content": "hi"}},
		})
		res, err := http.Post(s.URL+"/v1/chat/completions", "application/json", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Choices []struct {
				Message struct {
					Content string `json:"content"`
				} `json:"message"`
				FinishReason string `json:"finish_reason"`
			} `json:"choices"`
			Usage struct {
				Completion int `json:"completion_tokens"`
			} `json:"usage"`
		}
		err = json.NewDecoder(res.Body).Decode(&got)
		res.Body.Close()
		if err != nil || len(got.Choices) != 1 {
			t.Fatalf("%v, %+v", err, got)
		}
		c := got.Choices[0]
		if c.Message.Content != tinymodel.Text(row.words) || c.FinishReason != row.reason {
			t.Errorf("at most %d tokens: %q, %s", row.max, c.Message.Content, c.FinishReason)
		}
		if got.Usage.Completion < row.words || got.Usage.Completion > row.words+1 {
			t.Errorf("%d words took %d tokens", row.words, got.Usage.Completion)
		}
	}
}
