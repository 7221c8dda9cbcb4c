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

// role is what the lines of this package tell of: a gateway in the same process writes
// lines of the same names.
const role = "orchestrator"

// segmentLine is what a segment's one line in the log has beyond its request. Its
// fields belong to the goroutine that has the segment.
type segmentLine struct {
	begun time.Time
	price pm.Price
	// bytes arrived; upload, queue and media are the time that was not ours.
	bytes                int
	upload, queue, media time.Duration
	worker               string
	pixels               core.Pixels
	// failed is why there are no renditions. first says that the session's segment
	// before this one went well.
	failed error
	first  bool
	// over: it came to an end of which a line tells.
	over bool
}

// Failed notes why a segment that was let in did not come to Transcode.
func (g *Segment) Failed(err error) { g.line.failed, g.line.over = err, true }

// report writes the segment's line. The first failure of a session after a success is
// a warning with the remedy; a gateway that has not paid, or goes away, is no trouble
// of ours.
func (g *Segment) report() {
	l, req := &g.line, &g.req
	total := g.o.opt.Now().Sub(l.begun)
	attrs := make([]slog.Attr, 0, 24)
	attrs = append(attrs,
		slog.String("role", role), slog.String("manifestID", string(req.Manifest)),
		slog.String("orchSessionID", string(req.Token.Session)), slog.Int64("seqNo", int64(req.Number)))
	attrs = appendPeer(attrs, g.sender, req.From)
	attrs = append(attrs, slog.String("worker", l.worker), slog.Int("renditions", len(req.Profiles)),
		slog.Int64("source_ms", req.Duration.Milliseconds()), slog.Int("source_bytes", l.bytes),
		slog.Int64("pixels", int64(l.pixels)),
		millis("upload_ms", l.upload), millis("queue_ms", l.queue), millis("media_ms", l.media),
		millis("own_ms", max(0, total-l.upload-l.queue-l.media)), millis("total_ms", total))
	attrs = appendMoney(attrs, l.price, int64(l.pixels))
	attrs = append(attrs, outcomeOf(l.failed))
	level := slog.LevelInfo
	switch {
	case l.failed == nil:
	case l.first:
		if level = slog.LevelWarn; fault.ClassOf(l.failed) == fault.Payment {
			level = slog.LevelInfo
		}
		attrs = append(attrs, fault.Attr(l.failed))
	default:
		attrs = append(attrs, slog.String("err", l.failed.Error()))
	}
	g.o.opt.Log.LogAttrs(context.Background(), level, "segment", attrs...)
}

// noteFailing keeps whether the session fails, and whether that is new.
func (g *Segment) noteFailing(err error) {
	g.o.mu.Lock()
	defer g.o.mu.Unlock()
	g.line.first = err != nil && !g.s.failing
	g.s.failing = err != nil
}

// JobDone counts a job that ended, well or not, and writes its one line into the
// log. The line has no word of what was asked or answered. job is nil where it was
// not let in; from is the gateway's address; err is why it failed, nil when it did
// not.
func (o *Orchestrator) JobDone(f *inference.JobStats, job *Job, from string, err error) {
	var facts jobFacts
	if job != nil {
		facts = job.facts
		f.Sender = facts.sender
		if !facts.price.Free() {
			f.Price = facts.price.Rat()
		}
	}
	o.opt.Inference.JobDone(f)
	attrs := make([]slog.Attr, 0, 28)
	attrs = append(attrs, slog.String("role", role), slog.String("job", f.RequestID))
	attrs = appendPeer(attrs, facts.sender, from)
	attrs = append(attrs,
		slog.String("pipeline", f.Model.Pipeline()), slog.String("model", f.Model.ID),
		slog.String("worker", facts.worker), slog.Int("status", f.Status),
		millis("queue_ms", f.Queue), millis("first_ms", f.FirstByte), millis("own_ms", f.Own), millis("total_ms", f.Total),
		slog.Int64("tokens_in", int64(f.Usage.Prompt)), slog.Int64("tokens_out", int64(f.Usage.Completion)),
		slog.Int64("tokens_cached", int64(f.Usage.Cached)), slog.Int64("units", int64(f.Units)))
	attrs = appendMoney(attrs, facts.price, facts.billed)
	attrs = append(attrs, outcomeOf(err))
	level := slog.LevelInfo
	if err != nil {
		attrs = append(attrs, fault.Attr(err))
		level = jobLevel(err)
	}
	o.opt.Log.LogAttrs(context.Background(), level, "request", attrs...)
}

// jobFacts are what a job's line has beyond its figures.
type jobFacts struct {
	sender core.Address
	price  pm.Price
	worker string
	// billed are units, 0 where no work began.
	billed int64
}

func appendPeer(attrs []slog.Attr, sender core.Address, from string) []slog.Attr {
	if sender != (core.Address{}) {
		attrs = append(attrs, slog.String("sender", sender.String()))
	}
	return append(attrs, slog.String("clientIP", from))
}

// appendMoney adds the price of a unit and what the work costs, both in wei. Where
// everything is free there is nothing to add.
func appendMoney(attrs []slog.Attr, price pm.Price, units int64) []slog.Attr {
	if price.Free() {
		return attrs
	}
	text := strconv.FormatInt(price.PerUnit, 10)
	if price.PixelsPerUnit > 1 {
		text += "/" + strconv.FormatInt(price.PixelsPerUnit, 10)
	}
	return append(attrs, slog.String("price", text), slog.String("fee", fee(price, units)))
}

// fee is what units cost in whole wei, rounded down. Lines come in thousands, and
// nearly every fee fits into a word.
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

// millis is a duration in milliseconds, to the microsecond.
func millis(key string, d time.Duration) slog.Attr {
	return slog.Float64(key, float64(d.Microseconds())/1000)
}

// jobLevel is how loudly a failed job is told: our own defects as errors, what
// an operator can mend as warnings, and what gateways do as it is.
func jobLevel(err error) slog.Level {
	switch fault.ClassOf(err) {
	case fault.Internal:
		return slog.LevelError
	case fault.Forbidden:
		// A sender without valid credentials must not fill the log. What is refused is
		// counted (core/requeststats).
		return slog.LevelDebug
	case fault.Upstream, fault.Config:
		if c := fault.CodeOf(err); c != fault.Canceled && c != fault.JobBroken {
			return slog.LevelWarn
		}
	}
	return slog.LevelInfo
}
