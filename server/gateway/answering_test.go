package gateway_test

import "testing"

// A gateway without streams knows whether an orchestrator answers, and that one which
// was away is back is known without a stream too.
func TestWhetherAnyOrchestratorAnswers(t *testing.T) {
	t.Parallel()
	one, two := newFake(t), newFake(t)
	n := start(t, []string{one.uri, two.uri})
	expect := func(what string, want bool) {
		t.Helper()
		answers, of, known := n.g.Answering(t.Context())
		if answers != want || of != 2 || !known {
			t.Errorf("%s: %t of %d, known %t", what, answers, of, known)
		}
	}
	expect("both are there", true)
	one.close()
	expect("one is there", true)
	two.close()
	expect("no orchestrator is there", false)
}
