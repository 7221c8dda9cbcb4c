package speed_test

import (
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/gpu/card"
)

// TestCardSpeed measures in the order of what is most worth knowing: time may end before
// the last of it. Each step has a part of the time, so that a slow machine gets
// something of each.
func TestCardSpeed(t *testing.T) {
	r := newRig(t, card.Open(t), card.Deadline(t, 2*time.Minute))
	if !card.Full() {
		s := r.makeSource(t, tiny())
		t.Run("ours against ffmpeg", func(t *testing.T) { r.against(t, s, 2, time.Minute) })
		t.Run("sessions kept and anew", func(t *testing.T) { r.keptAgainstFresh(t, s, time.Minute) })
		t.Run("copies", func(t *testing.T) { r.copies(t, s, time.Minute) })
		t.Run("streams", func(t *testing.T) { r.streams(t, s, []int{1, 2}, time.Minute) })
		t.Run("session limit", func(t *testing.T) { r.limitOfSlowCard(t, s) })
		return
	}
	s, large := r.full()
	s = r.makeSource(t, s)
	r.compile(t, s)
	t.Run("1080p30, 4 streams against ffmpeg", func(t *testing.T) { r.against(t, s, 4, 80*time.Second) })
	t.Run("sessions kept and anew", func(t *testing.T) { r.keptAgainstFresh(t, s, 40*time.Second) })
	t.Run("copies", func(t *testing.T) { r.copies(t, s, 60*time.Second) })
	t.Run("1080p30 streams", func(t *testing.T) {
		r.streams(t, s, []int{1, 2, 4, 8, 16, 32, 64}, 120*time.Second)
	})
	t.Run("1080p30, 1 stream against ffmpeg", func(t *testing.T) { r.against(t, s, 1, 80*time.Second) })
	if !r.has(t, "2160p30 and session limits", 40*time.Second) {
		return
	}
	large = r.makeSource(t, large)
	t.Run("2160p30, 2 streams against ffmpeg", func(t *testing.T) { r.against(t, large, 2, 70*time.Second) })
	t.Run("2160p30 streams", func(t *testing.T) { r.streams(t, large, []int{1, 4, 16}, 40*time.Second) })
	t.Run("1080p30 session limit", func(t *testing.T) { r.limit(t, s) })
	t.Run("2160p30 session limit", func(t *testing.T) { r.limit(t, large) })
}
