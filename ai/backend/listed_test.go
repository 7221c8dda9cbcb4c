package backend_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/ai/backend"
	"github.com/tuttinode/tutti/core/fault"
)

// TestServedNames: which of a server's models an entry gets, by the server's kind and list. A name that the list
// lacks is refused where the server would refuse it, and noted where it would take it.
func TestServedNames(t *testing.T) {
	t.Parallel()
	openAI := func(list string) map[string]page { return map[string]page{"/v1/models": {200, list}} }
	withList := func(pages map[string]page, list string) map[string]page {
		pages["/v1/models"] = page{200, list}
		return pages
	}
	const (
		router = `{"object":"list","data":[{"id":"a:Q4","owned_by":"llamacpp","status":{"value":"loaded"}}]}`
		routes = `{"object":"list","data":[{"id":"a:Q4","owned_by":"llamacpp","status":{"value":"loaded"}},` +
			`{"id":"a:Q8","aliases":["large"],"owned_by":"llamacpp","status":{"value":"unloaded"}}]}`
		vllm = `{"data":[{"id":"base","owned_by":"vllm"},{"id":"tuned","owned_by":"vllm"}]}`
		tags = `{"object":"list","data":[{"id":"a:8b","owned_by":"library"},{"id":"a:70b","owned_by":"library"}]}`
	)
	for _, tt := range []struct {
		name, served string
		shared       bool
		pages        map[string]page
		want         string
		code         fault.Code
		unlisted     string
	}{
		{name: "one model of another name", pages: openAI(`{"data":[{"id":"b"}]}`), want: "b"},
		{name: "one model of another name, for two entries", shared: true, pages: openAI(`{"data":[{"id":"b"}]}`),
			code: fault.RunnerModelMissing},
		{name: "its own name, for two entries", shared: true, pages: openAI(`{"data":[{"id":"` + llama8B + `"}]}`),
			want: llama8B},
		{name: "unlisted", served: "c", pages: openAI(`{"data":[{"id":"a"},{"id":"b"}]}`), want: "c",
			unlisted: `the model server does not list "c"; it has "a", "b"`},
		{name: "an empty list", served: "c", pages: openAI(`{"object":"list","data":[]}`), want: "c",
			unlisted: `the model server does not list "c"; it has none`},
		{name: "vllm", served: "tuned", pages: withList(vllmPages(), vllm), want: "tuned"},
		{name: "vllm without it", served: "other", pages: withList(vllmPages(), vllm), code: fault.RunnerModelMissing},
		{name: "ollama", served: "a:70b", pages: withList(ollamaPages(), tags), want: "a:70b"},
		{name: "ollama without the tag", served: "a", pages: withList(ollamaPages(), tags), code: fault.RunnerModelMissing},
		{name: "llama.cpp's router", served: "a:Q8", pages: withList(llamaPages(), routes), want: "a:Q8"},
		{name: "llama.cpp's router by an alias", served: "large", pages: withList(llamaPages(), routes), want: "large"},
		{name: "llama.cpp's router without it", served: "a", pages: withList(llamaPages(), routes),
			code: fault.RunnerModelMissing},
		{name: "llama.cpp's router with one model", served: "a", pages: withList(llamaPages(), router),
			code: fault.RunnerModelMissing},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := options(newFake(t, tt.pages).url)
			o.Served, o.Shared = tt.served, tt.shared
			info, err := newServer(t, o).Probe(within(t))
			if tt.code != "" {
				if !errors.Is(err, tt.code) {
					t.Errorf("%+v, %v, want %s", info, err, tt.code)
				}
				return
			}
			if err != nil || info.Served != tt.want || info.Unlisted != tt.unlisted {
				t.Errorf("%q, %q, %v, want %q, %q", info.Served, info.Unlisted, err, tt.want, tt.unlisted)
			}
		})
	}
}

// A name that is listed later is seen within a few probes.
func TestNameIsListedLater(t *testing.T) {
	t.Parallel()
	f := newFake(t, map[string]page{"/v1/models": {200, `{"data":[{"id":"a"}]}`}})
	o := options(f.url)
	o.Served = "c"
	s := newServer(t, o)
	probe := func() backend.Info {
		info, err := s.Probe(within(t))
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	if info := probe(); !strings.Contains(info.Unlisted, `"c"`) {
		t.Fatalf("%+v", info)
	}
	f.set("/v1/models", page{200, `{"data":[{"id":"a"},{"id":"c"}]}`})
	for range 5 {
		if probe().Unlisted == "" {
			return
		}
	}
	t.Error("it counts as unlisted after 5 probes")
}
