package broker_test

import (
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/gateway/broker"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// BenchmarkFirstByte is the time until an answer begins, free and with two tickets
// that are on disk before they are sent.
func BenchmarkFirstByte(b *testing.B) {
	for name, paid := range map[string]bool{"free": false, "paid": true} {
		b.Run(name, func(b *testing.B) {
			o := fake(b, "a")
			change := func(*broker.Options, *upstream.Options) {}
			if paid {
				p := newWallet(b)
				l := o.charge(p, 1<<20)
				change = paying(p, nil)
				l.handle = func(w http.ResponseWriter, _ *http.Request) { answer(w, "a") }
			}
			s := start(b, change, o)
			job := chat()
			job.Units = 150
			s.mustAsk(b)
			var took []time.Duration
			for b.Loop() {
				begun := time.Now()
				a, err := s.Do(b.Context(), job, broker.Hint{})
				if err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(begun))
				io.Copy(io.Discard, a.Body)
				a.Body.Close()
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
		})
	}
}
