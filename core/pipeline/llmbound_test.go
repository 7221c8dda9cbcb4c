package pipeline_test

import (
	"testing"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
)

func TestWithMaxTokens(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"model":"m",` + user + `}`:                           `{"max_tokens":7,"model":"m",` + user + `}`,
		" { \"model\":\"m\",\n" + user + "}\n":                 " {\"max_tokens\":7, \"model\":\"m\",\n" + user + "}\n",
		`{"model":"m","max_tokens":null,` + user + `}`:         `{"model":"m","max_tokens":7,` + user + `}`,
		`{"model":"m","max\u005ftokens" : null ,` + user + `}`: `{"model":"m","max\u005ftokens" : 7 ,` + user + `}`,
		`{"model":"m","x":{"max_tokens":null},` + user +
			`}`: `{"max_tokens":7,"model":"m","x":{"max_tokens":null},` + user + `}`,
		`{"model":"m","max_completion_tokens":7,` + user +
			`}`: `{"max_tokens":7,"model":"m","max_completion_tokens":7,` + user + `}`,
		`{"max_tokens":null,"n_predict":7,"model":"m",` + user + `}`: `{"max_tokens":7,"n_predict":7,"model":"m",` + user +
			`}`,
	} {
		got := pipeline.WithMaxTokens([]byte(in), 7)
		if string(got) != want {
			t.Errorf("%s\ngot  %s\nwant %s", in, got, want)
		}
		r, err := pipeline.Decode(capability.LLM, inference.Chat, "", got)
		if err != nil || r.MaxTokens != 7 || r.OtherBound {
			t.Errorf("%s: %+v %v", got, r, err)
		}
	}
}
