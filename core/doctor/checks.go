package doctor

import (
	"context"
	"fmt"
	"slices"

	"github.com/tuttinode/tutti/core/fault"
)

// Checks returns all checks, group by group.
func Checks() []Check {
	return slices.Concat(hostChecks(), gpuChecks(), mediaChecks(), networkChecks(), chainChecks(), keyChecks(),
		registrationChecks(), priceChecks(), aiChecks(), storageChecks(), secretChecks())
}

// probeCheck makes a check of a probe's result; an error of the probe gives couldNotRun.
func probeCheck[T any](
	probe func(w *World) Probe[T], check func(w *World, v T) Observation,
) func(context.Context, *World) Observation {
	return func(ctx context.Context, w *World) Observation {
		v, err := probe(w).Get(ctx)
		if err != nil {
			return couldNotRun(err)
		}
		return check(w, v)
	}
}

// skipUnless skips a check unless the configuration requires it; why is the reason shown.
func skipUnless(
	wanted func(*Setup) bool, why string, run func(context.Context, *World) Observation,
) func(context.Context, *World) Observation {
	return func(ctx context.Context, w *World) Observation {
		if !wanted(&w.Setup) {
			return skip(why)
		}
		return run(ctx, w)
	}
}

// withEvidence returns a check's evidence with a probe's findings; findings of other checks
// are dropped later.
func withEvidence(findings []Finding, evidence string) Observation {
	return Observation{Evidence: evidence, Findings: findings}
}

func codes(c ...fault.Code) []fault.Code { return c }

// bytesText returns a size for people.
func bytesText(n int64) string {
	switch {
	case n >= 10<<30:
		return fmt.Sprintf("%d GiB", n>>30)
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	}
	return fmt.Sprintf("%d MiB", n>>20)
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
