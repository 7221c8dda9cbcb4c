package nodeenv

import (
	"context"

	"github.com/tuttinode/tutti/config"
)

// PrepareLog returns the step of a reload that takes over the verbosity. What the admin API set stays
// unless its option says something new.
func (e *Env) PrepareLog(_ context.Context, now, next *config.Config) (func(), error) {
	was, is := now.Logging, next.Logging
	return func() {
		// Neither fails: the configuration was checked.
		if was.Verbosity != is.Verbosity {
			_ = e.Sink.SetVerbosity(is.Verbosity)
		}
		if was.VModule != is.VModule {
			_ = e.Sink.SetVModule(is.VModule)
		}
	}, nil
}
