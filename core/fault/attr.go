package fault

import "log/slog"

// Attr returns a log attribute that shows err as an operator needs it:
//
//	log.Warn("session refused", fault.Attr(err))
//
// gives code=…, remedy=… and err=… on one line. A nil error gives nothing.
func Attr(err error) slog.Attr {
	if err == nil {
		return slog.Attr{}
	}
	code := CodeOf(err)
	attrs := []slog.Attr{slog.String("code", string(code))}
	if row, ok := Lookup(code); ok {
		attrs = append(attrs, slog.String("remedy", row.Remedy))
	}
	attrs = append(attrs, slog.String("err", err.Error()))
	// A group without a name is written inline.
	return slog.Attr{Value: slog.GroupValue(attrs...)}
}
