package keys_test

import (
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/keys"
)

func TestSetStatic(t *testing.T) {
	t.Parallel()
	g, _ := one(keys.Limits{RPM: 2})
	need := keys.Need{Model: "m"}
	admit(t, g, need)
	g.SetStatic([]keys.Key{key("app", keys.Limits{RPM: 2}), key("other", keys.Limits{})})
	if _, err := g.Admit(t.Context(), "secret of other", need); err != nil {
		t.Errorf("the new key: %v", err)
	}
	admit(t, g, need)
	if _, err := g.Admit(t.Context(), secret, need); err == nil {
		t.Error("a key that stayed lost its counts")
	}
	g.SetStatic([]keys.Key{key("other", keys.Limits{})})
	refused(t, g, need, fault.KeyUnknown)
}
