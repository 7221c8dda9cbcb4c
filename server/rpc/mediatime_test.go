package rpc_test

import (
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/rpc"
)

func TestMediaTime(t *testing.T) {
	t.Parallel()
	for _, d := range []time.Duration{0, time.Microsecond, 1234567 * time.Microsecond, time.Minute} {
		if got := rpc.ParseMediaTime(rpc.FormatMediaTime(d)); got != d {
			t.Errorf("%v came back as %v", d, got)
		}
	}
	for _, text := range []string{"", "soon", "-1", "NaN", "Inf", "1e300", "1 "} {
		if got := rpc.ParseMediaTime(text); got != 0 {
			t.Errorf("%q was read as %v", text, got)
		}
	}
}
