package orchestrator_test

import (
	"testing"
)

// BenchmarkChat is a job without the runner's work, as one of our own gateways
// sees it over HTTP/2: reading, rules and log, and both ends of the connection.
func BenchmarkChat(b *testing.B) {
	a := newAINode(b)
	a.says(200, "application/json", plainAnswer)
	req := asOwn(a.chat(`"max_tokens":10`))
	b.ReportAllocs()
	for b.Loop() {
		r := req.Clone(b.Context())
		r.Body, _ = req.GetBody()
		if res, out := do(b, a.h2, r); res.StatusCode != 200 {
			b.Fatalf("%d %s", res.StatusCode, out)
		}
	}
}
