package live

import (
	"math"
	"sync"
	"time"

	"github.com/pion/rtp"
	"github.com/pion/webrtc/v4"

	"github.com/tuttinode/tutti/core/telemetry"
)

const (
	// measureEvery is how often the quality of a publisher's connection is reported.
	measureEvery = 5 * time.Second
	// A connection is good up to this share of lost packets, in percent, and this jitter, in seconds.
	goodLoss, goodJitter = 5.0, 0.1
	// maxGap is the longest gap of sequence numbers that counts as loss; beyond it the source began again.
	maxGap = 3000
)

// trackStats is the quality of a track, as applications and analytics read it.
type trackStats struct {
	Kind string `json:"type"`
	// Jitter is in seconds, as of RFC 3550.
	Jitter   float64 `json:"jitter"`
	Lost     int64   `json:"packets_lost"`
	Received int64   `json:"packets_received"`
	LostPct  float64 `json:"packet_loss_pct"`
	// RTT is in nanoseconds, LastInput in seconds of the track's clock.
	RTT       int64   `json:"rtt"`
	LastInput float64 `json:"last_input_ts"`
}

// connStats are a connection's bytes.
type connStats struct {
	ID       string `json:"ID"`
	Received uint64 `json:"BytesReceived"`
	Sent     uint64 `json:"BytesSent"`
}

// ingestStats is the quality of a publisher's connection.
type ingestStats struct {
	Conn    connStats    `json:"peer_conn_stats"`
	Tracks  []trackStats `json:"track_stats"`
	Quality string       `json:"conn_quality"`
}

// quality measures a track. The goroutine that reads the track adds packets.
type quality struct {
	kind  string
	clock float64 // ticks per second
	began time.Time

	mu       sync.Mutex
	received int64
	lost     int64
	next     uint16
	last     uint32
	transit  float64 // of the last packet, in ticks
	jitter   float64 // in ticks
}

// add counts a packet. Packets that come late, or twice, are taken off what was counted as lost.
func (q *quality) add(p *rtp.Packet, now time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	arrival := now.Sub(q.began).Seconds() * q.clock
	transit := arrival - float64(p.Timestamp)
	if q.received++; q.received == 1 {
		q.next, q.transit = p.SequenceNumber, transit
	}
	switch gap := int16(p.SequenceNumber - q.next); {
	case gap >= maxGap, gap <= -maxGap:
		q.next = p.SequenceNumber + 1
	case gap >= 0:
		q.lost += int64(gap)
		q.next = p.SequenceNumber + 1
	default:
		q.lost = max(0, q.lost-1)
	}
	// A time stamp that wraps around, or jumps, is no jitter.
	if d := math.Abs(transit - q.transit); d < q.clock {
		q.jitter += (d - q.jitter) / 16
	}
	q.transit, q.last = transit, p.Timestamp
}

func (q *quality) stats(rtt time.Duration) trackStats {
	q.mu.Lock()
	defer q.mu.Unlock()
	t := trackStats{Kind: q.kind, Jitter: q.jitter / q.clock, Lost: q.lost, Received: q.received, RTT: int64(rtt),
		LastInput: float64(q.last) / q.clock}
	if all := q.lost + q.received; all > 0 {
		t.LostPct = 100 * float64(q.lost) / float64(all)
	}
	return t
}

// measuring is the quality of a publisher's connection. The zero value is ready.
type measuring struct {
	mu     sync.Mutex
	tracks []*quality
	stats  *ingestStats
	at     time.Time
}

// track begins to measure a track.
func (m *measuring) track(kind string, clock int, now time.Time) *quality {
	q := &quality{kind: kind, clock: float64(clock), began: now}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tracks = append(m.tracks, q)
	return q
}

// known is what was measured last, nil for nothing.
func (m *measuring) known() *ingestStats {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stats
}

// measure takes the quality of a connection, and reports it, when that is due.
func (s *stream) measure(pc *webrtc.PeerConnection) {
	m, now := &s.ingested, s.srv.o.Now()
	m.mu.Lock()
	due := now.Sub(m.at) >= s.srv.o.Limits.Measure && len(m.tracks) > 0
	if due {
		m.at = now
	}
	m.mu.Unlock()
	if !due {
		return
	}
	out := &ingestStats{Quality: "good", Tracks: []trackStats{}}
	var rtt time.Duration
	transport := transportOf(pc)
	passed := transport.Stats()
	out.Conn = connStats{ID: passed.ID, Received: passed.BytesReceived, Sent: passed.BytesSent}
	if pair, ok := transport.GetSelectedCandidatePairStats(); ok {
		rtt = time.Duration(pair.CurrentRoundTripTime * float64(time.Second))
	}
	m.mu.Lock()
	for _, q := range m.tracks {
		t := q.stats(rtt)
		if t.LostPct > goodLoss || t.Jitter > goodJitter {
			out.Quality = "bad"
		}
		out.Tracks = append(out.Tracks, t)
	}
	m.stats = out
	m.mu.Unlock()
	e := map[string]any{"timestamp": now.UnixMilli(), "stats": out}
	s.identify(e, s.reports.orchestrator())
	delete(e, "orchestrator_info") // it has no part in this
	s.send(telemetry.IngestMetrics, e)
}
