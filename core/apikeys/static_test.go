package apikeys_test

import (
	"testing"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
)

func TestSetStatic(t *testing.T) {
	t.Parallel()
	g, _ := one(apikeys.Limits{RPM: 2})
	need := apikeys.Need{Model: "m"}
	admit(t, g, need)
	g.SetStatic([]apikeys.Key{key("app", apikeys.Limits{RPM: 2}), key("other", apikeys.Limits{})})
	if _, err := g.Admit(t.Context(), "secret of other", need); err != nil {
		t.Errorf("the new key: %v", err)
	}
	admit(t, g, need)
	if _, err := g.Admit(t.Context(), secret, need); err == nil {
		t.Error("a key that stayed lost its counts")
	}
	g.SetStatic([]apikeys.Key{key("other", apikeys.Limits{})})
	refused(t, g, need, fault.KeyUnknown)
}
