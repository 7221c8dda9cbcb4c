package live

import (
	"strings"
	"testing"
	"time"
)

// An orchestrator's events of very many small values, of which each stream keeps some, are left out. Long texts are not
// taken for that.
func TestEventsOfManyValues(t *testing.T) {
	t.Parallel()
	st := &stream{srv: &Server{o: Options{Now: time.Now}}}
	event := func(inner string) bool {
		st.status = nil
		st.event(nil, []byte(`{"type":"status","inference_status":{"last_params":`+inner+`}}`))
		return st.status != nil
	}
	for what, inner := range map[string]string{
		"numbers": "[" + strings.Repeat("1,", 200_000) + "1]", "lists": "[" + strings.Repeat("[],", 200_000) + "1]",
		"texts": "[" + strings.Repeat(`"\\",`, 100_000) + "1]", "objects": "[" + strings.Repeat(`{"a":1},`, 50_000) + "1]",
	} {
		if event(inner) {
			t.Error(what, "are kept")
		}
	}
	for what, inner := range map[string]string{
		"a long text": `"` + strings.Repeat(`a, [b] \"{c}\" `, 50_000) +
			`"`, "some numbers": "[" + strings.Repeat("1,", 5000) + "1]",
	} {
		if !event(inner) {
			t.Error(what, "are not kept")
		}
	}
}
