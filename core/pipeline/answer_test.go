package pipeline_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
)

func TestNetworkAnswer(t *testing.T) {
	t.Parallel()
	whole := `{"id":"i","model":"a/b","created":5,"usage":{},"object":"x","choices":[{}]}`
	for in, want := range map[string]string{
		whole: whole,
		// A runner may call its model by the path of its file.
		`{"id":"i","model":"/m.gguf","created":5,"usage":{},` +
			`"choices":[{}]}`: `{"id":"i","model":"a/b","created":5,"usage":{},"choices":[{}]}`,
		`{"choices":[{"index":0}]}`: `{"id":"chatcmpl-r","model":"a/b","created":7,` +
			`"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0},"choices":[{"index":0}]}`,
		`{"id":"i","model":"m","created":5.5,"usage":null,` +
			`"choices":[{}]}`: `{"created":7,"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0},"id":"i",` +
			`"model":"a/b","choices":[{}]}`,
		`{"choices":[ ]}`: "",
		`{"id":"i"}`:      "",
		`null`:            "",
		`{"choices":[{}]`: "",
	} {
		got, err := pipeline.NetworkAnswer([]byte(in), "a/b", "r", time.Unix(7, 0))
		if string(got) != want || (err == nil) != (want != "") {
			t.Errorf("%s: %v\ngot  %s\nwant %s", in, err, got, want)
		}
	}
}

func FuzzNetworkAnswer(f *testing.F) {
	f.Add([]byte(`{"id":1,"created":1e3,"choices":[{}],"usage":{"x":"y"}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := pipeline.NetworkAnswer(body, "m", "r", time.Unix(7, 0))
		if err != nil {
			return
		}
		var a struct {
			ID      string            `json:"id"`
			Created int64             `json:"created"`
			Choices []json.RawMessage `json:"choices"`
		}
		if err := json.Unmarshal(got, &a); err != nil {
			t.Fatalf("%s: %v", got, err)
		}
	})
}

func TestTable(t *testing.T) {
	t.Parallel()
	if len(pipeline.Table()) != 9 {
		t.Fatal("the network has nine pipelines of requests")
	}
	for _, p := range pipeline.Table() {
		id, err := capability.FromPipeline(p.Name)
		if err != nil || id != p.Capability || p.Path != "/"+p.Name || p.DefaultModel == "" ||
			(p.Form == pipeline.Multipart) != (p.File != "") {
			t.Errorf("%+v", p)
		}
		if got, ok := pipeline.Lookup(p.Capability); !ok || got != p {
			t.Errorf("%+v", got)
		}
	}
}

func TestJob(t *testing.T) {
	t.Parallel()
	body := []byte(`{"model":"m","max_tokens":3,"stream":true,` + user + `}`)
	r, err := pipeline.Parse(capability.LLM, "", "", body, nil)
	if err != nil {
		t.Fatal(err)
	}
	j := r.Job("application/json", body, "id")
	if j.Model != (inference.Model{Capability: capability.LLM, ID: "m"}) || !j.Stream || !j.HideUsage || j.Units != 3 ||
		j.MaxTokens != 3 ||
		j.RequestID != "id" || j.Operation != inference.Chat || j.ContentType != "application/json" ||
		string(j.Body) != string(body) {
		t.Errorf("%+v", j)
	}
}
