package docker_test

import (
	"slices"
	"testing"

	"github.com/tuttinode/tutti/ai/docker"
)

func TestEnvironment(t *testing.T) {
	t.Parallel()
	s := docker.Spec{Pipeline: "llm", Model: "a/b", Env: []string{"MAX_MODEL_LEN=1", "USE_8BIT=true", "MAX_MODEL_LEN=2",
		"MODEL_ID=c"}}
	want := []string{"PIPELINE=llm", "USE_8BIT=true", "MAX_MODEL_LEN=2", "MODEL_ID=c"}
	if got := s.Environment(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if s.Env[0] != "MAX_MODEL_LEN=1" {
		t.Error("the spec was changed")
	}
}

func TestLabelsCannotBeTakenOver(t *testing.T) {
	t.Parallel()
	s := docker.Spec{Pipeline: "llm", Model: "a/b", Labels: map[string]string{"creator_id": "else", "mine": "1"}}
	got := s.AllLabels("node")
	if got["creator"] != "ai-worker" || got["creator_id"] != "node" || got["pipeline"] != "llm" || got["model"] != "a/b" ||
		got["mine"] != "1" {
		t.Errorf("%v", got)
	}
}
