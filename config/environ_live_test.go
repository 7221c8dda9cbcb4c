package config_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/config"
)

// What an operator of the existing node has set for live video works, or is named.
func TestLiveVariables(t *testing.T) {
	t.Parallel()
	load := func(environ ...string) (*config.Config, string) {
		t.Helper()
		in := input("-gateway", "-orchAddr", "h.example.org:8935")
		in.Environ = environ
		c, notices, err := config.Load(in)
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, n := range notices {
			said = append(said, n.String())
		}
		return c, strings.Join(said, "\n")
	}
	c, said := load("LIVE_AI_WHIP_ADDR=0.0.0.0:7290", "LIVE_AI_NAT_IP=192.0.2.1", "LIVE_AI_ALLOW_CORS=please",
		"LIVE_AI_MIN_SEG_DUR=500ms", "LIVE_AI_WHEP_MAX_SESSIONS=unlimited", "LIVE_AI_VIDEO_GATHER_TIMEOUT=7",
		"LIVE_AI_WHEP_URL=https://w.example.org/", "LIVE_AI_DISABLE_RTMP_OUTPUT=true")
	g := c.LiveGateway
	if g.Media.Port != 7290 || g.PublicIP != "192.0.2.1" || !g.AllowCORS || g.MinSegment != 500*time.Millisecond ||
		g.Viewers != 100000 || g.Gather != 7*time.Second || g.PlaybackURL != "https://w.example.org/" || said != "" ||
		g.SaveFirst != 0 || !g.Served() {
		t.Errorf("%+v\n%s", g, said)
	}
	c, said = load("LIVE_AI_WHEP_ADDR=127.0.0.1:7000", "LIVE_AI_ALLOW_CORS=0", "LIVE_AI_PLAYBACK_HOST=rtmp://m/",
		"LIVE_AI_DISABLE_RTMP_OUTPUT=false", "LIVE_AI_WHEP_MAX_SESSIONS=9", "TUTTI_LIVE_AI_SAVE_N_SEGMENTS=3")
	g = c.LiveGateway
	if g.Media.Port != 7000 || g.AllowCORS || g.Viewers != 9 || g.SaveFirst != 3 {
		t.Errorf("%+v", g)
	}
	for _, name := range []string{"LIVE_AI_WHEP_ADDR (environment): ", "LIVE_AI_PLAYBACK_HOST (environment): ",
		"LIVE_AI_DISABLE_RTMP_OUTPUT (environment): "} {
		if !strings.Contains(said, name) {
			t.Errorf("no %q in\n%s", name, said)
		}
	}
	_, said = load("LIVE_AI_WHEP_ADDR=127.0.0.1:7000", "LIVE_AI_WHIP_ADDR=127.0.0.1:7001")
	if !strings.Contains(said, "LIVE_AI_WHEP_ADDR (environment): not used") {
		t.Error(said)
	}
	if c, _ := load(); c.LiveGateway.Served() {
		t.Error("live video is served without being asked for")
	}
}
