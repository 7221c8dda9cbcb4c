package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/test/livevideo"
)

// A gateway takes a live stream by WHIP, an orchestrator's runner gets it over channels, and a viewer sees the
// result by WHEP. The orchestrator is killed while it plays: the stream goes on at another one, and the viewer's
// connection stays.
func TestLiveVideo(t *testing.T) {
	t.Parallel()
	one, two := livevideo.New(t), livevideo.New(t)
	front, admin := harness.Address(t), harness.Address(t)
	node := harness.StartIn(t, binary, []string{"LIVE_AI_MIN_SEG_DUR=200ms"}, "-gateway", "-orchAddr",
		one.URI()+","+two.URI(), "-httpAddr", front, "-cliAddr", admin, "-dataDir", t.TempDir(),
		"-liveMediaAddr", harness.Address(t))
	base := "http://" + front + "/live/video-to-video/"
	node.WaitHTTP("http://" + front + "/healthz")
	livevideo.Publish(t, base+"cam/whip?pipeline=noop&streamId=s1")
	v := livevideo.Watch(t, base+"cam-out/whep")
	node.Wait("pictures", 20*time.Second, func() bool { return v.Count() > 20 && v.Whole() })
	if res, text := livevideo.Do(t, "POST", base+"cam/update", "", `{"prompt":"b"}`); res.StatusCode != http.StatusOK {
		t.Error(res.Status, text)
	}
	serving, other := one, two
	if len(two.Starts()) > 0 {
		serving, other = two, one
	}
	node.Wait("parameters", 10*time.Second, func() bool { return serving.Got(`{"prompt":"b"}`) })
	serving.Kill()
	n := v.Count()
	node.Wait("pictures of the other orchestrator", 20*time.Second, func() bool {
		return v.Count() > n+20 && len(other.Starts()) == 1 && other.Got(`{"prompt":"b"}`)
	})
	if _, text := livevideo.Do(t, "GET", base+"s1/status", "", ""); !strings.Contains(text, "whep_url") {
		t.Error(text)
	}
}
