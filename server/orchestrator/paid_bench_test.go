package orchestrator_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
)

// BenchmarkPaidChat is BenchmarkChat on the chain, but for the books: what is more
// is the signature of the request, the quote and the payment's message.
func BenchmarkPaidChat(b *testing.B) {
	c := newChainNode(b)
	c.says(200, "application/json", plainAnswer)
	req := asOwn(c.llm(c.terms(wantsLlama()), 1, paidChat))
	b.ReportAllocs()
	for b.Loop() {
		r := req.Clone(b.Context())
		r.Body, _ = req.GetBody()
		if res, out := do(b, c.h2, r); res.StatusCode != 200 {
			b.Fatalf("%d %s", res.StatusCode, out)
		}
	}
}

// BenchmarkPaidSegment is the same of a segment of usual size, up to its answer:
// what is more than off-chain is above all the hash of what was made.
func BenchmarkPaidSegment(b *testing.B) {
	for name, paid := range map[string]bool{"on chain": true, "off-chain": false} {
		b.Run(name, func(b *testing.B) { benchSegment(b, paid) })
	}
}

func benchSegment(b *testing.B, paid bool) {
	c := &chainNode{aiNode: &aiNode{}}
	if paid {
		c = newChainNode(b)
		c.pay.FaceValue = core.NewWei(1e18) // one ticket pays for all of it
	} else {
		c.node = newNode(b)
		c.gateway = accountOf(b, 1)
	}
	c.fake.RenditionBytes = 150_000
	in, body := c.terms(nil), []byte("segment")
	tickets := 0
	if paid {
		tickets = 1
	}
	req := c.segment(in, tickets)
	var took []time.Duration
	for b.Loop() {
		r := req.Clone(b.Context())
		r.Body, _ = req.GetBody()
		start := time.Now()
		res, answer := do(b, c.h2, r)
		took = append(took, time.Since(start))
		if res.StatusCode != 200 || bytes.Contains(answer, body) {
			b.Fatalf("%d %s", res.StatusCode, answer)
		}
	}
	b.ReportMetric(median(took).Seconds()*1000, "p50-ms")
}
