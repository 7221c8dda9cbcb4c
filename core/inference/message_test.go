package inference_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
)

func TestMessage(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"detail":{"msg":"GPU out of memory."}}`:                                     "GPU out of memory.",
		`{"detail":[{"loc":["body","messages",0,"content"],"msg":"field required"}]}`: "messages.0.content: field required",
		`{"detail":[{"msg":"a"},{"msg":""},{"loc":[1],"msg":"b"},{"msg":"c"}]}`:       "a; 1: b",
		`{"detail":"Not Found"}`: "Not Found",
		`{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`: "Loading model",
		`{"error":"model 'x' not found"}`:                                             "model 'x' not found",
		`{"object":"error","message":"older"}`:                                        "older",
		`{"error":{"message":"two\nlines"}}`:                                          "two lines",
		"404 page not found\n":                                                        "404 page not found",
		"one\r\ntwo":                                                                  "one",
		`{"detail":7,"error":[]}`:                                                     "",
		`null`:                                                                        "",
		`{}`:                                                                          "",
		`<html>502</html>`:                                                            "",
		"\xff\xfe":                                                                    "",
		"":                                                                            "",
	} {
		if got := inference.Message([]byte(body)); got != want {
			t.Errorf("%q: %q, want %q", body, got, want)
		}
	}
}

func TestField(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"detail":[{"loc":["body","messages",0,"content"],"msg":"field required"},{"loc":["x"]}]}`: "messages.0.content",
		`{"detail":[{"loc":["body"],"msg":"a"}]}`:                                                   "",
		`{"error":{"message":"x","param":"max_tokens"}}`:                                            "max_tokens",
		`{"error":{"message":"x","param":null}}`:                                                    "",
		`{"detail":{"msg":"x"}}`:                                                                    "",
		`{"detail":[]}`:                                                                             "",
		"no JSON":                                                                                   "",
	} {
		if got := inference.Field([]byte(body)); got != want {
			t.Errorf("%q: %q, want %q", body, got, want)
		}
	}
}

func TestNetworkText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		inference.RunnerName(capability.LLM, false) + " cannot be reached": "LLM container cannot be reached",
		inference.RunnerName(capability.LLM, true) + " does not answer":    "LLM container does not answer",
		"insufficient capacity": "insufficient capacity",
	} {
		if got := inference.NetworkText(capability.LLM, text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestContainerText(t *testing.T) {
	t.Parallel()
	if got := inference.ContainerText(capability.LLM, 400,
		[]byte(`{"detail":{"msg":"bad"}}`)); got != "LLM container returned 400: bad" {
		t.Error(got)
	}
	if got := inference.ContainerText(capability.TextToImage, 500, nil); got != "text-to-image container returned 500" {
		t.Error(got)
	}
}

func FuzzMessage(f *testing.F) {
	f.Add([]byte(`{"detail":[{"loc":["a",1.5,null],"msg":"x"}]}`))
	f.Add([]byte(`{"error":{"message":"` + strings.Repeat("ö", 500) + `"}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		got := inference.Message(body)
		if len(got) > 410 || !utf8.ValidString(got) || strings.ContainsAny(got, "\r\n\t") {
			t.Fatalf("%q", got)
		}
	})
}
