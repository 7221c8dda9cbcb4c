package remote_test

import (
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/remote"
)

func TestSecrets(t *testing.T) {
	t.Parallel()
	none := new(remote.Secrets)
	if none.Any() || none.Match("") || none.Match("x") {
		t.Error("without secrets a worker was let in")
	}
	s := remote.NewSecrets(core.NewSecret("old"), core.NewSecret(""), core.NewSecret("new"))
	for text, want := range map[string]bool{"old": true, "new": true, "": false, "ol": false, "oldnew": false,
		"OLD": false} {
		if s.Match(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
	s.Set(core.NewSecret("new"), core.NewSecret("new"))
	if s.Match("old") {
		t.Error("what was replaced still lets in")
	}
	if !s.Match("new") {
		t.Error("a secret given twice lets no worker in")
	}
}
