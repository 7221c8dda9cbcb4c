package libav

import (
	"context"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
)

// hold begins a segment of a session, which takes something on the device, and
// returns how to end it.
func hold(t *testing.T, s *sessions, id core.SessionID, reinit bool) (own *session, end func(ok bool)) {
	t.Helper()
	_, own, _, err := s.begin(context.Background(), &core.TranscodeJob{Session: id, Reinit: reinit})
	if err != nil {
		t.Fatal(err)
	}
	if own.media == nil {
		own.media = newMedia(nil, own.form)
	}
	return own, func(ok bool) {
		var r *core.TranscodeResult
		if ok {
			r = &core.TranscodeResult{DecodedFrames: 1}
		}
		s.end(own, r)
	}
}

// TestSessionsGiveBack: what a session holds on a device outlives its segments, and
// not an end, a new beginning, a failure, or long idleness.
func TestSessionsGiveBack(t *testing.T) {
	t.Parallel()
	now := time.Unix(1e9, 0)
	s := newSessions(func() time.Time { return now })
	own, end := hold(t, s, "a", false)
	end(true)
	if own.media == nil || !own.established {
		t.Fatal("a segment's end gives back what the next one needs")
	}
	now = now.Add(idleUnderPressure - 1)
	if s.reclaim(idleUnderPressure) {
		t.Error("a session is taken for idle too soon")
	}
	again, end := hold(t, s, "a", false)
	now = now.Add(time.Hour)
	if s.reclaim(idleAtMost) || again != own {
		t.Error("a session at work is taken for idle")
	}
	end(true)
	if now = now.Add(idleAtMost); !s.reclaim(idleAtMost) || own.media != nil {
		t.Error("an idle session keeps what it holds")
	}
	_, end = hold(t, s, "a", false)
	if end(false); own.media != nil || !own.established {
		t.Error("a failed segment's state is kept")
	}
	_, end = hold(t, s, "a", false)
	end(true)
	fresh, end := hold(t, s, "a", true)
	if own.media != nil || fresh == own || fresh.established {
		t.Error("a reinit keeps what the session held")
	}
	s.forget("a") // while it is at work
	if fresh.media == nil {
		t.Error("a job lost what it works with")
	}
	if end(true); fresh.media != nil {
		t.Error("an ended session's last job keeps what it held")
	}
	left, end := hold(t, s, "b", false) // hangs, and its caller has given up
	next, endNext := hold(t, s, "b", false)
	if next == left {
		t.Error("two jobs share one state")
	}
	endNext(true)
	if end(true); left.media != nil || next.media == nil {
		t.Error("a job that was left behind keeps what it held, or took what is not its own")
	}
	<-s.close()
	if next.media != nil {
		t.Error("closed sessions hold something")
	}
}
