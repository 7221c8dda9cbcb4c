package requeststats_test

import (
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/requeststats"
)

// full is a counter of a day with more gateways than the limit, each with ten
// answers an hour.
func full() *requeststats.Counter {
	c := newClock()
	b := requeststats.New(c.now)
	codes := []fault.Code{"", fault.OrchestratorCapped, fault.NoTranscoders, fault.Draining, fault.TicketExpired}
	for range 25 {
		for n := range uint32(110) {
			for _, code := range codes {
				b.Record(requeststats.Request{Kind: requeststats.TranscodingOffer, Gateway: gateway(n), Code: code})
				b.Record(requeststats.Request{Kind: requeststats.Segment, Gateway: gateway(n), Code: code})
			}
		}
		c.at = c.at.Add(time.Hour)
	}
	c.at = c.at.Add(-time.Hour)
	return b
}

// BenchmarkReport is what a dashboard asks once a second.
func BenchmarkReport(b *testing.B) {
	book := full()
	for b.Loop() {
		book.Report()
	}
}

// BenchmarkNoteBesideReports is a segment's part while reports are made all the time.
func BenchmarkRecordDuringReports(b *testing.B) {
	book := full()
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-stop:
				return
			default:
				book.Report()
			}
		}
	}()
	for b.Loop() {
		book.Record(requeststats.Request{Kind: requeststats.Segment, Gateway: gateway(7)})
	}
	close(stop)
	<-ended
}

// BenchmarkNote is a segment's part.
func BenchmarkRecord(b *testing.B) {
	book := full()
	for b.Loop() {
		book.Record(requeststats.Request{Kind: requeststats.Segment, Gateway: gateway(7)})
	}
}
