package aiapi

import (
	"context"
	"log/slog"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/access"
)

// maxLogged bounds text from clients in a log line, in bytes.
const maxLogged = 128

// report counts the request and logs it in one line.
func (x *relayedRequest) report() {
	f := &x.stats
	f.Total = time.Since(x.began)
	f.Own = max(f.Total-x.waited, 0)
	x.endSpan()
	if x.detached {
		return
	}
	if f.Model.ID != "" {
		x.server.opt.Recorder.JobDone(f)
	}
	ctx := context.Background()
	level, suppressed := x.level()
	if !x.server.opt.Log.Enabled(ctx, level) {
		return
	}
	attrs := make([]slog.Attr, 0, 29)
	attrs = append(attrs, slog.String("role", "gateway"), slog.String("request", x.id),
		slog.String("clientIP", access.Host(x.r.RemoteAddr)),
		slog.String("route", x.route.path), slog.Int("status", f.Status))
	attrs = appendText(attrs, "pipeline", f.Model.Pipeline())
	attrs = appendText(attrs, "model", clip(f.Model.ID))
	attrs = appendText(attrs, "key", f.Key)
	attrs = appendText(attrs, "orchestrator", f.Orchestrator)
	attrs = append(attrs,
		slog.Int("tries", f.Tries), millis("queue_ms", f.Queue), millis("first_ms", f.FirstByte),
		millis("own_ms", f.Own), millis("total_ms", f.Total),
		slog.Int64("tokens_in", int64(f.Usage.Prompt)), slog.Int64("tokens_out", int64(f.Usage.Completion)),
		slog.Int64("tokens_cached", int64(f.Usage.Cached)), slog.Bool("estimated", f.Usage.Estimated),
		slog.Int64("units", int64(f.Units)),
		slog.Bool("stream", f.Stream), slog.Int("events", f.Events), slog.Int64("bytes", x.sent))
	if f.Code == "" {
		attrs = append(attrs, slog.String("outcome", "ok"))
	} else {
		attrs = append(attrs, slog.String("outcome", string(f.Code)), slog.String("code", string(f.Code)))
	}
	if f.Hedged {
		attrs = append(attrs, slog.Bool("hedged", true))
	}
	if suppressed > 0 {
		attrs = append(attrs, slog.Int("others", suppressed))
	}
	if level == slog.LevelError {
		attrs = append(attrs, slog.String("err", x.err.Error()))
	}
	x.server.opt.Log.LogAttrs(ctx, level, "request", attrs...)
}

// level returns the log level, and the number of refusals suppressed before this one.
func (x *relayedRequest) level() (level slog.Level, suppressed int) {
	switch f := &x.stats; {
	case x.err == nil || f.Code == "":
		return slog.LevelInfo, 0
	case f.Code.Class() == fault.Internal:
		// An internal fault is our defect: clients and orchestrators cannot cause one.
		return slog.LevelError, 0
	case x.grant != nil || f.Tries > 0:
		return slog.LevelInfo, 0
	}
	suppressed, ok := x.server.refusalLog.allow(x.server.opt.Now())
	if !ok {
		return slog.LevelDebug, 0
	}
	return slog.LevelInfo, suppressed
}

func appendText(attrs []slog.Attr, key, value string) []slog.Attr {
	if value == "" {
		return attrs
	}
	return append(attrs, slog.String(key, value))
}

// millis returns a duration in milliseconds, to the microsecond.
func millis(key string, d time.Duration) slog.Attr {
	return slog.Float64(key, float64(d.Microseconds())/1000)
}

// clip bounds text from clients in the log.
func clip(s string) string {
	if len(s) > maxLogged {
		return s[:maxLogged]
	}
	return s
}
