package gateway

import (
	"context"
	"log/slog"
	"math/big"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// logSegment logs a segment in one line. A failure that an operator can act on is a warning with
// its remedy; failures caused by the client are not. If every client may push, segments that reached no
// orchestrator are logged with a rate limit.
func (g *Gateway) logSegment(p *push, renditions [][]byte, took time.Duration, err error) {
	t := &p.attempts
	suppressed := 0
	if p.unchecked && err != nil && t.count == 0 {
		var ok bool
		if suppressed, ok = g.uncheckedLog.allow(g.opt.Now()); !ok {
			return
		}
	}
	attrs := make([]slog.Attr, 0, 24)
	attrs = append(attrs,
		slog.String("role", "gateway"), slog.String("manifestID", string(p.stream.id)),
		slog.String("orchSessionID", string(t.session)), slog.Int64("seqNo", int64(p.req.Number)),
		slog.String("clientIP", p.from), slog.String("orchestrator", t.orchestrator), slog.Int("tries", t.count),
		slog.Int("renditions", len(renditions)), slog.Int64("source_ms", p.req.Duration.Milliseconds()),
		slog.Int("source_bytes", len(p.data)), slog.Int64("pixels", int64(t.pixels)),
		slog.Float64("read_ms", millis(p.read)), slog.Float64("queue_ms", millis(p.queue)),
		slog.Float64("upload_ms", millis(t.upload)), slog.Float64("media_ms", millis(t.media)),
		slog.Float64("own_ms", millis(max(0, took-p.read-p.queue-p.away))), slog.Float64("total_ms", millis(took)))
	if t.price != nil && t.price.Sign() > 0 {
		fee := new(big.Rat).Mul(t.price, new(big.Rat).SetInt64(int64(t.pixels)))
		attrs = append(attrs, slog.String("price", t.price.RatString()),
			slog.String("fee", new(big.Int).Quo(fee.Num(), fee.Denom()).String()))
	}
	if suppressed > 0 {
		attrs = append(attrs, slog.Int("more", suppressed))
	}
	level := slog.LevelInfo
	if err == nil {
		attrs = append(attrs, slog.String("outcome", "ok"))
	} else {
		code := fault.CodeOf(err)
		attrs = append(attrs, slog.String("outcome", string(code)), fault.Attr(err))
		switch code {
		case fault.Canceled, fault.PushBroken, fault.PushSlow, fault.PushEmpty, fault.PushTooLarge:
		default:
			level = slog.LevelWarn
		}
	}
	g.log.LogAttrs(context.Background(), level, "segment", attrs...)
}

// logEvery is the interval of log lines that clients can cause in any number.
const logEvery = time.Second

// rateLimitedLog limits such lines. The zero value is ready; it is safe for concurrent use.
type rateLimitedLog struct {
	mu sync.Mutex
	// last is when a line was logged, suppressed counts those that were not since. Guarded by mu.
	last       time.Time
	suppressed int
}

// allow reports whether a line may be logged now, and how many were suppressed before it.
func (s *rateLimitedLog) allow(now time.Time) (suppressed int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.last.IsZero() && now.Sub(s.last) < logEvery {
		s.suppressed++
		return 0, false
	}
	suppressed, s.suppressed, s.last = s.suppressed, 0, now
	return suppressed, true
}
