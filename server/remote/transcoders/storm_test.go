package transcoders_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/remote/transcoders"
)

// TestTranscodersThatComeAndGo fill no log, however often they do.
func TestTranscodersThatComeAndGo(t *testing.T) {
	t.Parallel()
	now := time.Now()
	n := start(t, func(o *transcoders.Options) {
		o.Now = func() time.Time { return now } // however long it takes, as if all came at once
	})
	for range 40 {
		c := register(t, n, plain())
		a := n.next(t)
		c.hangUp()
		a.awaitDetached(t)
	}
	text := n.logged.String()
	if lines := strings.Count(text, "transcoder registered") + strings.Count(text, "transcoder lost"); lines > 25 {
		t.Errorf("%d lines", lines)
	}
}
