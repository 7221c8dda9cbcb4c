package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/test/livevideo"
)

// The operator's services decide about live video: the webhook refuses a stream and changes what another one asks
// for, and the heartbeat's service ends it. The publishers are at a media server, which is told.
func TestLiveVideoServices(t *testing.T) {
	t.Parallel()
	o, m := livevideo.New(t), livevideo.NewMediaServer(t)
	hook, beat := livevideo.NewService(t), livevideo.NewService(t)
	hook.Answer(http.StatusForbidden, "")
	front, admin := harness.Address(t), harness.Address(t)
	node := harness.StartIn(t, binary, []string{"LIVE_AI_WHEP_ADDR=" + harness.Address(t), "LIVE_AI_MIN_SEG_DUR=200ms",
		"LIVE_AI_WHEP_MAX_SESSIONS=unlimited", "LIVE_AI_VIDEO_GATHER_TIMEOUT=3", "LIVE_AI_ALLOW_CORS=yes",
		"LIVE_AI_PLAYBACK_HOST=rtmp://localhost/"},
		"-gateway", "-orchAddr", o.URI(), "-httpAddr", front, "-cliAddr", admin, "-dataDir", t.TempDir(),
		"-gatewayHost", "gw.example.org", "-liveAIAuthWebhookUrl", hook.URL+"/auth", "-liveAIAuthApiKey", "key1",
		"-liveAIHeartbeatURL", beat.URL, "-liveAIHeartbeatHeaders", "X-A:b", "-liveAIHeartbeatInterval", "50ms",
		"-mediaMTXApiPassword", "hush")
	base := "http://" + front + "/live/video-to-video/"
	node.WaitHTTP("http://" + front + "/healthz")
	if !strings.Contains(node.Log(), "LIVE_AI_PLAYBACK_HOST") || !strings.Contains(node.Log(), "LIVE_AI_WHEP_ADDR") {
		t.Error("variables that do something else here are not named:\n", node.Log())
	}

	if res, text := m.Start(base+"denied/start", "pipeline=noop"); res.StatusCode != http.StatusForbidden ||
		text != "Forbidden\n" {
		t.Error(res.Status, text)
	}
	node.Wait("the end of a refused publisher", 10*time.Second, func() bool {
		return m.Called("POST /v3/rtmpconns/kick/conn-1 Basic YWRtaW46aHVzaA==")
	})
	if len(o.Starts()) != 0 {
		t.Error("a refused stream was started: ", o.Starts())
	}

	hook.Answer(http.StatusOK, `{"pipeline":"noop","stream_id":"s1","pipeline_parameters":{"prompt":"a cat"}}`)
	if res, text := m.Start(base+"cam/start", "pipeline=other&streamId=mine"); res.StatusCode != http.StatusOK {
		t.Fatal(res.Status, text)
	}
	start := o.Starts()[0]
	if start["model_id"] != "noop" || start["stream_id"] != "s1" ||
		start["params"].(map[string]any)["prompt"] != "a cat" {
		t.Error(start)
	}
	got, header := hook.Got()
	if last := got[len(got)-1]; header[0].Get("X-Api-Key") != "key1" || last["query_params"] !=
		"pipeline=other&streamId=mine" || last["status_url"] != "https://gw.example.org/live/video-to-video/mine/status" {
		t.Error(header[0], last)
	}
	v := livevideo.Watch(t, base+"cam-out/whep")
	node.Wait("pictures", 20*time.Second, func() bool { return v.Count() > 20 })

	beat.Answer(http.StatusOK, `{"terminatedStreamIds":["s1"]}`)
	node.Wait("the end of the stream", 10*time.Second, func() bool {
		_, text := livevideo.Do(t, "GET", base+"s1/status", "", "")
		return strings.Contains(text, "stream terminated: credit_exhaustion")
	})
	if _, header := beat.Got(); header[0].Get("X-A") != "b" {
		t.Error(header[0])
	}
	if strings.Contains(node.Log(), "hush") || strings.Contains(node.Log(), "key1") {
		t.Error("a secret is in the log")
	}
}
