package transcoder_test

import (
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/transcoder"
)

func TestLoad(t *testing.T) {
	t.Parallel()
	at := func(num, den uint32) core.Profile {
		return core.Profile{Width: 256, Height: 144, FPS: core.Framerate{Num: num, Den: den}}
	}
	if got := transcoder.Load([]core.Profile{at(1, 0), at(0, 0), at(30000, 1001)}); got != 2_211_840 {
		t.Errorf("got %d, want 2211840", got)
	}
	if got := transcoder.Load(nil); got != 0 {
		t.Errorf("no renditions: got %d", got)
	}
}
