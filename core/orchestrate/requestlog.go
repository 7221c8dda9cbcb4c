package orchestrate

import (
	"context"
	"log/slog"
	"math/bits"
	"strconv"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/pm"
)

// role marks this package's log lines: a gateway in the same process writes lines with the
// same messages.
const role = "orchestrator"

// segmentRecord is what a segment's log line shows in addition to its request. The
// goroutine that handles the segment owns it.
type segmentRecord struct {
	start time.Time
	price pm.Price
	// bytes were received; upload, queue and media are the time outside this node's code.
	bytes                int
	upload, queue, media time.Duration
	worker               string
	pixels               core.Pixels
	// failed is why there are no renditions. firstFailure: the session's segment before this
	// one did not fail.
	failed       error
	firstFailure bool
	// complete: the outcome is known, so that Close logs the record.
	complete bool
}

// Failed records why an admitted segment was not transcoded.
func (g *Segment) Failed(err error) { g.record.failed, g.record.complete = err, true }

// logRecord writes the segment's log line. The first failure of a session after a success is
// a warning with the remedy, unless the gateway has not paid.
func (g *Segment) logRecord() {
	l, req := &g.record, &g.req
	total := g.o.opt.Now().Sub(l.start)
	attrs := make([]slog.Attr, 0, 24)
	attrs = append(attrs,
		slog.String("role", role), slog.String("manifestID", string(req.Manifest)),
		slog.String("orchSessionID", string(req.Token.Session)), slog.Int64("seqNo", int64(req.Number)))
	attrs = appendPeer(attrs, g.sender, req.From)
	attrs = append(attrs, slog.String("worker", l.worker), slog.Int("renditions", len(req.Profiles)),
		slog.Int64("source_ms", req.Duration.Milliseconds()), slog.Int("source_bytes", l.bytes),
		slog.Int64("pixels", int64(l.pixels)),
		milliseconds("upload_ms", l.upload), milliseconds("queue_ms", l.queue), milliseconds("media_ms", l.media),
		milliseconds("own_ms", max(0, total-l.upload-l.queue-l.media)), milliseconds("total_ms", total))
	attrs = appendPrice(attrs, l.price, int64(l.pixels))
	attrs = append(attrs, outcomeOf(l.failed))
	level := slog.LevelInfo
	switch {
	case l.failed == nil:
	case l.firstFailure:
		if level = slog.LevelWarn; fault.ClassOf(l.failed) == fault.Payment {
			level = slog.LevelInfo
		}
		attrs = append(attrs, fault.Attr(l.failed))
	default:
		attrs = append(attrs, slog.String("err", l.failed.Error()))
	}
	if l.failed != nil {
		level, attrs = g.o.failureLevel(level, attrs, req.From, l.failed)
	}
	g.o.opt.Log.LogAttrs(context.Background(), level, "segment", attrs...)
}

// recordOutcome updates whether the session is failing, and whether that is new.
func (g *Segment) recordOutcome(err error) {
	g.o.mu.Lock()
	defer g.o.mu.Unlock()
	g.record.firstFailure = err != nil && !g.s.failing
	g.s.failing = err != nil
}

// JobDone counts a finished job and writes its log line, which has nothing of the request's
// or answer's content. job is nil if it was not admitted; from is the gateway's address; err
// is why it failed, if it did.
func (o *Orchestrator) JobDone(f *inference.JobStats, job *Job, from string, err error) {
	var record jobRecord
	if job != nil {
		record = job.record
		f.Sender = record.sender
		if !record.price.Free() {
			f.Price = record.price.Rat()
		}
	}
	o.opt.Inference.JobDone(f)
	attrs := make([]slog.Attr, 0, 28)
	attrs = append(attrs, slog.String("role", role), slog.String("job", f.RequestID))
	attrs = appendPeer(attrs, record.sender, from)
	attrs = append(attrs,
		slog.String("pipeline", f.Model.Pipeline()), slog.String("model", f.Model.ID),
		slog.String("worker", record.worker), slog.Int("status", f.Status),
		milliseconds("queue_ms", f.Queue), milliseconds("first_ms", f.FirstByte), milliseconds("own_ms", f.Own),
		milliseconds("total_ms", f.Total),
		slog.Int64("tokens_in", int64(f.Usage.Prompt)), slog.Int64("tokens_out", int64(f.Usage.Completion)),
		slog.Int64("tokens_cached", int64(f.Usage.Cached)), slog.Int64("units", int64(f.Units)))
	attrs = appendPrice(attrs, record.price, record.billed)
	attrs = append(attrs, outcomeOf(err))
	level := slog.LevelInfo
	if err != nil {
		level, attrs = o.failureLevel(jobLevel(err), append(attrs, fault.Attr(err)), from, err)
	}
	o.opt.Log.LogAttrs(context.Background(), level, "request", attrs...)
}

// jobRecord is what a job's log line shows in addition to its figures.
type jobRecord struct {
	sender core.Address
	price  pm.Price
	worker string
	// billed is in units, 0 if no work began.
	billed int64
}

func appendPeer(attrs []slog.Attr, sender core.Address, from string) []slog.Attr {
	if sender != (core.Address{}) {
		attrs = append(attrs, slog.String("sender", sender.String()))
	}
	return append(attrs, slog.String("clientIP", from))
}

// appendPrice adds the price of a unit and the fee, both in wei; nothing for free work.
func appendPrice(attrs []slog.Attr, price pm.Price, units int64) []slog.Attr {
	if price.Free() {
		return attrs
	}
	text := strconv.FormatInt(price.PerUnit, 10)
	if price.PixelsPerUnit > 1 {
		text += "/" + strconv.FormatInt(price.PixelsPerUnit, 10)
	}
	return append(attrs, slog.String("price", text), slog.String("fee", fee(price, units)))
}

// fee returns the cost of units in whole wei, rounded down. It avoids big.Int where the result
// fits into 64 bits, because log lines are frequent.
func fee(price pm.Price, units int64) string {
	if price.PerUnit < 0 || units < 0 {
		return price.Of(units).Floor().String()
	}
	high, low := bits.Mul64(uint64(price.PerUnit), uint64(units))
	per := uint64(max(1, price.PixelsPerUnit))
	if high >= per {
		return price.Of(units).Floor().String()
	}
	wei, _ := bits.Div64(high, low, per)
	return strconv.FormatUint(wei, 10)
}

// outcomeOf is "ok" or the code of the fault.
func outcomeOf(err error) slog.Attr {
	if err == nil {
		return slog.String("outcome", "ok")
	}
	return slog.String("outcome", string(fault.CodeOf(err)))
}

// milliseconds returns a duration in milliseconds, to the microsecond.
func milliseconds(key string, d time.Duration) slog.Attr {
	return slog.Float64(key, float64(d.Microseconds())/1000)
}

// jobLevel returns the log level of a failed job: errors for our own defects, warnings for what
// the operator can fix, info for what gateways cause.
func jobLevel(err error) slog.Level {
	switch fault.ClassOf(err) {
	case fault.Internal:
		return slog.LevelError
	case fault.Forbidden:
		// A sender without valid credentials must not fill the log. core/requeststats counts
		// refusals.
		return slog.LevelDebug
	case fault.Upstream, fault.Config:
		if c := fault.CodeOf(err); c != fault.Canceled && c != fault.JobBroken {
			return slog.LevelWarn
		}
	}
	return slog.LevelInfo
}
