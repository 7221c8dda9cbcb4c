package aiapi_test

import (
	"math/big"
	"net/http"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/aiapi"
)

// TestAModelThatRanks: its list entry has the price where it is paid, for what it reads.
func TestAModelThatRanks(t *testing.T) {
	t.Parallel()
	n := start(t, func(o *aiapi.Options) { o.WeiPerUSD = dollar }).serve()
	n.broker.models = []inference.ModelState{{Model: inference.Model{Capability: capability.LLM, ID: "m/r"},
		State: inference.Ready, Operations: []inference.Operation{inference.Rerank},
		Prices: &inference.PriceRange{Low: big.NewRat(4e8, 1), High: big.NewRat(4e8, 1)}}}
	got := n.get("/v1/models/m/r")
	for _, want := range []string{`"pricing":{"prompt":"0.0000004","completion":"0"}`, `"output_modalities":["rerank"]`} {
		if !strings.Contains(got.body, want) {
			t.Errorf("%s is not in %s", want, got.body)
		}
	}
}

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
