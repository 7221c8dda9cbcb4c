package aiapi_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/aiapi"
	"github.com/tuttinode/tutti/server/gateway/broker"
	"github.com/tuttinode/tutti/test/coretest"
)

// order starts a video whose client does not wait, and returns its name.
func (n *node) order(t *testing.T) got {
	t.Helper()
	contentType, body := upload(t, "@image", string(picture(t)), "model_id", "m/svd")
	return n.post("/image-to-video", body, "Content-Type", contentType, "Prefer", "wait=1, respond-async",
		"Authorization", "Bearer "+token)
}

func name(t *testing.T, g got) string {
	t.Helper()
	var in struct {
		RequestID string `json:"request_id"`
	}
	if err := json.Unmarshal([]byte(g.body), &in); err != nil || g.status != http.StatusAccepted ||
		len(in.RequestID) != 32 {
		t.Fatalf("status %d, %s", g.status, g.body)
	}
	return in.RequestID
}

func (n *node) poll(id string) got {
	n.t.Helper()
	return n.post("/image-to-video/result", `{"request_id":"`+id+`"}`)
}

func TestVideoLater(t *testing.T) {
	t.Parallel()
	n := start(t, func(o *aiapi.Options) {
		withKey(budgeted(1 << 30))(o)
		o.Fetcher = fetchedFiles{"https://o:8935/v.mp4": []byte(video)}
	}).serve()
	release := make(chan struct{})
	n.broker.answer = func(ctx context.Context, job *inference.Job) (*broker.Answer, error) {
		<-release
		return says(`{"images":[{"url":"https://o:8935/v.mp4","seed":1,"nsfw":false}]}`)(ctx, job)
	}
	id := name(t, n.order(t))
	n.poll(id).want(t, http.StatusAccepted, `{"status":"processing"}`+"\n")
	close(release)
	var g got
	wait(t, "the video", func() bool {
		g = n.poll(id)
		return g.status == http.StatusOK
	})
	if !strings.HasPrefix(g.body, `{"status":"complete","result":{"images":[{`) || !resultURL.MatchString(g.body) ||
		!strings.Contains(g.body, ".mp4") {
		t.Errorf("%s", g.body)
	}
	if f := n.figures.only(t); f.Key != "team" || f.Status != http.StatusOK || f.Units != 576*1024*25 {
		t.Errorf("figures %+v", f)
	}
	n.settled()
}

func TestVideoThatFails(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answer func(context.Context, *inference.Job) (*broker.Answer, error)
		want   string
	}{
		"fault": {fails(fault.New(fault.JobFailed, "", "no")),
			`{"status":"complete","result":{"error":{"message":"no","type":"server_error","param":null,"code":"JobFailed"}}}`},
		"defect": {func(context.Context, *inference.Job) (*broker.Answer, error) { panic("oops") },
			`{"status":"complete","result":{"error":{"message":"Internal Server Error","type":"server_error","param":null,` +
				`"code":"Unexpected"}}}`},
		"refusal": {func(ctx context.Context, job *inference.Job) (*broker.Answer, error) {
			a, err := says(`{"detail":{"msg":"sizes must divide by 8"}}`)(ctx, job)
			a.Status = http.StatusBadRequest
			return a, err
		}, `{"status":"complete","result":{"error":{"message":"sizes must divide by 8","type":"invalid_request_error",` +
			`"param":null,"code":"JobRefused"}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := start(t, withKey(budgeted(1<<30))).serve()
			n.broker.answer = tt.answer
			id := namedOrder(t, n)
			var g got
			wait(t, "the end", func() bool {
				g = n.poll(id)
				return g.status == http.StatusOK
			})
			g.want(t, http.StatusOK, tt.want+"\n")
			n.settled()
		})
	}
}

func namedOrder(t *testing.T, n *node) string { return name(t, n.order(t)) }

func TestVideoRefusedAtOnce(t *testing.T) {
	t.Parallel()
	n := start(t, func(o *aiapi.Options) {
		withKey(budgeted(1 << 30))(o)
		o.Limits.Async = 1
	}).serve()
	// What runs when the gateway stops is ended by it.
	n.broker.answer = func(ctx context.Context, _ *inference.Job) (*broker.Answer, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	contentType, body := upload(t, "@image", "no image")
	if g := n.post("/image-to-video", body, "Content-Type", contentType, "Prefer",
		"respond-async"); g.status != http.StatusUnauthorized {
		t.Errorf("status %d, %s", g.status, g.body)
	}
	name(t, n.order(t))
	if g := n.order(t); g.status != http.StatusServiceUnavailable || !strings.Contains(g.body, "RequestsFull") {
		t.Errorf("status %d, %s", g.status, g.body)
	}
	wait(t, "the refused one's settling", func() bool { return n.guard.States()[0].InFlight == 1 })
	for _, body := range []string{"", "{}", `{"request_id":1}`} {
		if g := n.post("/image-to-video/result", body); g.status != http.StatusBadRequest {
			t.Errorf("%s: status %d", body, g.status)
		}
	}
	if g := n.poll(strings.Repeat("0", 32)); g.status != http.StatusNotFound || !strings.Contains(g.body, "ResultGone") {
		t.Errorf("status %d, %s", g.status, g.body)
	}
}

func TestResultsAge(t *testing.T) {
	t.Parallel()
	clock := coretest.NewClock(time.Unix(1700000000, 0))
	pic := picture(t)
	n := start(t, func(o *aiapi.Options) { o.Now = clock.Now; o.Limits.Results = int64(2 * len(pic)) }).serve()
	n.broker.answer = says(`{"images":[{"url":"` + dataURL(pic) + `"}]}`)
	var urls []string
	for range 3 {
		g := n.post("/text-to-image", `{"prompt":"a cat"}`)
		urls = append(urls, resultURL.FindStringSubmatch(g.body)[1])
	}
	for i, want := range []int{404, 200, 200} { // the first was evicted
		if g := n.get(urls[i]); g.status != want {
			t.Errorf("result %d: status %d", i, g.status)
		}
	}
	clock.Forward(11 * time.Minute)
	if g := n.get(urls[2]); g.status != http.StatusNotFound {
		t.Errorf("an old result: status %d", g.status)
	}
	n.broker.answer = says(`{"images":[{"url":"` + dataURL(append(pic, pic...)) + `"},{"url":"` + dataURL(pic) + `"}]}`)
	if g := n.post("/text-to-image", `{"prompt":"a cat"}`); g.status != http.StatusServiceUnavailable {
		t.Errorf("results over the limit: status %d", g.status)
	}
}
