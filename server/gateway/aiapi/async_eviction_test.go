package aiapi_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/aiapi"
	"github.com/tuttinode/tutti/server/gateway/broker"
)

// orderHere is order without a network.
func (n *node) orderHere(t *testing.T) got {
	t.Helper()
	contentType, body := upload(t, "@image", string(picture(t)), "model_id", "m/svd")
	r := httptest.NewRequest(http.MethodPost, "/image-to-video", strings.NewReader(body))
	r.Header.Set("Content-Type", contentType)
	r.Header.Set("Prefer", "respond-async")
	r.Header.Set("Authorization", "Bearer "+token)
	rec := httptest.NewRecorder()
	n.handler.ServeHTTP(rec, r)
	synctest.Wait()
	return got{status: rec.Code, header: rec.Header(), body: rec.Body.String()}
}

func (n *node) pollHere(id string) got {
	return n.local(http.MethodPost, "/image-to-video/result", `{"request_id":"`+id+`"}`)
}

// An orchestrator that begins to answer and then holds the connection does not
// hold a job, its key's place and its memory forever.
func TestVideoThatNeverEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := start(t, withKey(budgeted(1<<30)))
		n.broker.answer = func(ctx context.Context, _ *inference.Job) (*broker.Answer, error) {
			return reply("application/json", &held{ctx, "{"}), nil
		}
		id := name(t, n.orderHere(t))
		<-time.After(14 * time.Minute)
		n.pollHere(id).want(t, http.StatusAccepted, `{"status":"processing"}`+"\n")
		<-time.After(2 * time.Minute)
		synctest.Wait()
		if g := n.pollHere(id); g.status != http.StatusOK || !strings.Contains(g.body, `"code":"DeadlineExceeded"`) {
			t.Errorf("status %d, %s", g.status, g.body)
		}
		if f := n.figures.only(t); f.Code != fault.DeadlineExceeded {
			t.Errorf("figures %+v", f)
		}
		n.settled()
	})
}

// Finished jobs are dropped for new ones, those with fetched results first.
func TestFinishedVideosAreEvicted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := start(t, func(o *aiapi.Options) {
			withKey(budgeted(1 << 30))(o)
			o.Limits.Async = 2
		})
		n.broker.answer = fails(fault.New(fault.JobFailed, "", "no"))
		order := func() string {
			<-time.After(time.Second)
			return name(t, n.orderHere(t))
		}
		first, second := order(), order()
		known := func(id string) bool { return n.pollHere(id).status == http.StatusOK }
		if !known(second) {
			t.Error("the second is not known")
		}
		third := order()
		if known(second) {
			t.Error("the second was told and is still kept")
		}
		fourth := order() // the first and the third were not fetched
		if known(first) || !known(third) || !known(fourth) {
			t.Errorf("known: the first %v, the third %v, the fourth %v", known(first), known(third), known(fourth))
		}
	})
}

// What an answer says besides its results is kept too, and so it is bounded.
func TestVideoWithALongAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := start(t, withKey(budgeted(1<<30)))
		url := dataURL([]byte(video + strings.Repeat("\x00", 300<<10)))
		for rest, want := range map[string]string{strings.Repeat("x", 300<<10): `"code":"AnswerUnreadable"`,
			"x": `.mp4","seed":1}],"x":"x"}`} {
			n.broker.answer = says(`{"images":[{"url":"` + url + `","seed":1}],"x":"` + rest + `"}`)
			id := name(t, n.orderHere(t))
			if g := n.pollHere(id); g.status != http.StatusOK || !strings.Contains(g.body, want) {
				t.Errorf("%d bytes: status %d, %.300s", len(rest), g.status, g.body)
			}
		}
	})
}
