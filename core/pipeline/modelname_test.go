package pipeline_test

import (
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/pm"
)

// TestModelNames: a name that is taken is one that a quote can hold, or it could not
// ever pay for its work.
func TestModelNames(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 100, pm.MaxModelID - 1, pm.MaxModelID, pm.MaxModelID + 1, 2 * pm.MaxModelID} {
		name := strings.Repeat("m", n)
		r, err := pipeline.Decode(capability.LLM, "", "",
			[]byte(`{"model":"`+name+`","messages":[{"role":"user","content":"x"}]}`))
		if err != nil && fault.CodeOf(err) != fault.JobUnreadable {
			t.Errorf("%d bytes: %v", n, err)
		}
		quote := pm.Quote{Models: []inference.Model{{Capability: capability.LLM, ID: name}}}
		_, unquotable := quote.AppendBinary(nil)
		if (err == nil) != (unquotable == nil) || err == nil && r.Model.ID != name {
			t.Errorf("%d bytes: taken with %v, quoted with %v", n, err, unquotable)
		}
	}
}
