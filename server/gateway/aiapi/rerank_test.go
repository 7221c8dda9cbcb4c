package aiapi_test

import (
	"net/http"
	"testing"

	"github.com/tuttinode/tutti/core/apikeys"
)

// TestRanks: an answer with a score for each document that is wanted passes unchanged, one with fewer is none.
func TestRanks(t *testing.T) {
	t.Parallel()
	const two = `{"results":[{"index":1,"relevance_score":0.9},{"index":0,"relevance_score":-3}],` +
		`"usage":{"prompt_tokens":8}}`
	const one = `{"results":[{"index":1,"relevance_score":0.9,"document":{"text":"b"}}]}`
	for name, row := range map[string]struct {
		fields, answer string
		status         int
	}{
		"all":            {``, two, http.StatusOK},
		"the best":       {`,"top_n":1`, one, http.StatusOK},
		"one is missing": {``, one, http.StatusBadGateway},
		"no scores":      {``, `{"results":[{"index":0},{"index":1}]}`, http.StatusBadGateway},
		"a chat":         {``, chatAnswer, http.StatusBadGateway},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := start(t, withKey(apikeys.Limits{TPM: 100})).serve()
			n.broker.answer = says(row.answer)
			got := n.post("/v1/rerank", `{"model":"m/r","query":"hi","documents":["a","b"]`+row.fields+`}`,
				"Authorization", "Bearer "+token)
			if got.status != row.status {
				t.Fatalf("%d %s", got.status, got.body)
			}
			if row.status == http.StatusOK && got.body != row.answer {
				t.Errorf("%s", got.body)
			}
		})
	}
}
