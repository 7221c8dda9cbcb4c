package live

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/test/livevideo"
)

// internal is a service of the operator's network that only counts its connections.
func internal(t *testing.T) (address string, calls *atomic.Int32) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	calls = new(atomic.Int32)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			calls.Add(1)
			c.Close()
		}
	}()
	return l.Addr().String(), calls
}

// startFrom starts a gateway with a key for applications, and a password of its media server.
func startFrom(t *testing.T, o *livevideo.Orchestrator, args ...string) (node *harness.Process, base string) {
	t.Helper()
	front, keys := harness.Address(t), filepath.Join(t.TempDir(), "keys.json")
	if err := os.WriteFile(keys, []byte(`[{"name":"app","key":"tk-suite-0123456789abcdef"}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	node = harness.Start(t, binary, append([]string{"-gateway", "-orchAddr", o.URI(), "-httpAddr", front, "-cliAddr",
		harness.Address(t), "-dataDir", t.TempDir(), "-liveMediaAddr", harness.Address(t), "-mediaMTXApiPassword",
		"hush-hush-hush", "-apiKeys", keys}, args...)...)
	node.WaitHTTP("http://" + front + "/healthz")
	return node, "http://" + front + "/live/video-to-video/"
}

// strange are headers of requests that are not the operator's: through a proxy, or of a page of another site.
// Read-only.
var strange = [][]string{{"X-Forwarded-For", "192.0.2.7"}, {"Forwarded", "for=127.0.0.1"},
	{"Origin", "https://evil.example"}, {"Sec-Fetch-Site", "cross-site"}}

// Strangers call what media servers and operators call: the gateway connects nowhere for them, begins no stream, and
// its password goes nowhere. Where a service admits streams they get as far as it lets them and no further.
func TestStrangersStartNothing(t *testing.T) {
	t.Parallel()
	hook := livevideo.NewService(t)
	hook.Answer(http.StatusForbidden, "")
	for name, args := range map[string][]string{"keys": nil, "webhook": {"-liveAIAuthWebhookUrl", hook.URL}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, m := livevideo.New(t), livevideo.NewMediaServer(t)
			inside, calls := internal(t)
			node, base := startFrom(t, o, args...)
			for _, h := range strange {
				for _, target := range []string{"", "rtmp://" + inside + "/a/b", "rtmp://169.254.169.254/a/b"} {
					form := url.Values{"source_id": {"c"}, "source_type": {"rtmpConn"}, "rtmp_url": {target}}
					if res, text := m.Call(base+"cam/start", form, h...); res.StatusCode < 401 || res.StatusCode > 403 {
						t.Error(h, target, res.Status, text)
					}
				}
				for _, method := range []string{"PUT", "GET"} {
					res, text := ask(t, method, base+"smoketest", fmt.Sprintf(`{"stream_url":"rtmp://%s/a/b"}`, inside), h...)
					if res.StatusCode < 401 || res.StatusCode > 403 {
						t.Error(h, res.Status, text)
					}
				}
			}
			if len(o.Starts()) != 0 || len(m.Paths()) != 0 || calls.Load() != 0 {
				t.Error("strangers made the gateway connect: ", o.Starts(), m.Paths(), calls.Load())
			}
			if strings.Contains(node.Log(), "hush-hush-hush") {
				t.Error("the password is in the log")
			}
		})
	}
}

// An application's key is no way into the operator's network: with it start and the smoke test lead to the internet
// and the caller's own address alone. Through a proxy the caller's address is not known.
func TestAKeyLeadsToNoInternalAddress(t *testing.T) {
	t.Parallel()
	o, m := livevideo.New(t), livevideo.NewMediaServer(t)
	inside, calls := internal(t)
	_, base := startFrom(t, o)
	header := []string{"X-Forwarded-For", "192.0.2.7", "Authorization", "Bearer tk-suite-0123456789abcdef"}
	targets := []string{"rtmp://" + inside + "/a/b", "rtmp://[::ffff:7f00:1]:1935/a/b", "rtmp://10.1.2.3/a/b"}
	for _, target := range targets {
		form := url.Values{"source_id": {"c"}, "source_type": {"rtmpConn"}, "rtmp_url": {target}}
		if res, text := m.Call(base+"cam/start", form, header...); res.StatusCode != http.StatusForbidden ||
			!strings.Contains(text, "media server") {
			t.Error(target, res.Status, text)
		}
		if res, text := ask(t, "PUT", base+
			"smoketest", fmt.Sprintf(`{"stream_url":%q}`, target), header...); res.StatusCode !=
			http.StatusForbidden {
			t.Error(target, res.Status, text)
		}
	}
	if len(o.Starts()) != 0 || calls.Load() != 0 || len(m.Calls()) != 0 {
		t.Error(o.Starts(), calls.Load(), m.Calls())
	}
}

// A service that never answers, or without an end, holds no more than its callers: other streams are decided about,
// and the gateway serves.
func TestASlowWebhookHoldsNothing(t *testing.T) {
	t.Parallel()
	hook := livevideo.NewService(t)
	release := make(chan struct{})
	hook.Handle(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	t.Cleanup(func() { close(release) })
	o := livevideo.New(t)
	node, base := startFrom(t, o, "-liveAIAuthWebhookUrl", hook.URL)
	answers := make(chan int, 200)
	for i := range 200 {
		go func() {
			res, err := http.PostForm(fmt.Sprintf("%scam%d/start", base, i),
				url.Values{"source_id": {"c"}, "source_type": {"rtmpConn"}})
			if err != nil {
				answers <- 0
				return
			}
			res.Body.Close()
			answers <- res.StatusCode
		}()
	}
	node.Wait("calls of the service", 20*time.Second, func() bool { got, _ := hook.Got(); return len(got) > 10 })
	node.WaitHTTP(strings.TrimSuffix(base, "live/video-to-video/") + "healthz")
	for range 200 {
		if status := <-answers; status < 500 || status > 503 {
			t.Error(status)
		}
	}
	if got, _ := hook.Got(); len(got) > 64+16 || len(o.Starts()) != 0 {
		t.Error(len(got), "calls at once")
	}
}

func ask(t *testing.T, method, address, body string, header ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return livevideo.Send(t, r)
}
