package aiapi_test

import (
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/server/gateway/aiapi"
)

// Every copy of a form is in the budget.
func TestFormsAreCounted(t *testing.T) {
	t.Parallel()
	large := string(picture(t)) + strings.Repeat("\x00", 1<<20)
	for name, row := range map[string]struct {
		path   string
		parts  []string
		copies int // the most that the body is in memory
	}{
		"own form":               {"/image-to-image", []string{"@image", large, "prompt", "x", "model_id", "m"}, 1},
		"own form, no model":     {"/image-to-image", []string{"@image", large, "prompt", "x"}, 2},
		"recording":              {"/audio-to-text", []string{"@audio", large, "model_id", "m"}, 2},
		"OpenAI's edits":         {"/v1/images/edits", []string{"@image", large, "prompt", "x", "model", "m"}, 2},
		"OpenAI's, no model":     {"/v1/images/edits", []string{"@image", large, "prompt", "x"}, 2},
		"OpenAI's transcription": {"/v1/audio/transcriptions", []string{"@file", large}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			contentType, body := upload(t, row.parts...)
			ask := func(copies int) int {
				n := start(t, func(o *aiapi.Options) {
					o.Media = seconds(3)
					o.Limits.Bytes = int64(copies*len(body) + 64<<10)
				}).serve()
				n.broker.answer = says(`{"text":"x","images":[{"url":"` + dataURL(picture(t)) + `"}]}`)
				return n.post(row.path, body, "Content-Type", contentType).status
			}
			if got := ask(row.copies); got != http.StatusOK {
				t.Errorf("status %d with room for %d", got, row.copies)
			}
			if got := ask(row.copies - 1); got != http.StatusServiceUnavailable {
				t.Errorf("status %d with room for %d", got, row.copies-1)
			}
		})
	}
}

// A form in OpenAI's way is in memory as it came and as it goes out, and that is all.
func TestFormsAreNotCopied(t *testing.T) {
	n := start(t, nil)
	n.broker.answer = says(`{"images":[{"url":"` + dataURL(picture(t)) + `"}]}`)
	contentType, body := upload(t, "@image", string(picture(t))+strings.Repeat("\x00", 16<<20), "prompt", "x")
	took := func(path, contentType string) uint64 {
		r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1"+path, strings.NewReader(body))
		r.RemoteAddr = "127.0.0.1:1"
		r.Header.Set("Content-Type", contentType)
		rec := httptest.NewRecorder()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		n.handler.ServeHTTP(rec, r)
		runtime.ReadMemStats(&after)
		if path == "/v1/images/edits" && rec.Code != http.StatusOK {
			t.Errorf("status %d, %s", rec.Code, rec.Body)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	reading := took("/image-to-image", "text/plain") // read, and refused
	if all := took("/v1/images/edits", contentType); reading < uint64(len(body)) || all > reading+uint64(len(body)+1<<20) {
		t.Errorf("%d bytes for a form of %d, of which %d to read it", all, len(body), reading)
	}
}

func TestObjectsAreBounded(t *testing.T) {
	t.Parallel()
	n := start(t, nil).serve()
	n.broker.answer = says(`{"images":[{"url":"` + dataURL(picture(t)) + `"}]}`)
	field := func(i int) string { return `,"f` + strings.Repeat("x", i) + `":1` }
	body := `{"prompt":"<&>"`
	for i := range 127 {
		body += field(i)
	}
	if g := n.post("/v1/images/generations", body+"}"); g.status != http.StatusOK {
		t.Errorf("status %d, %s", g.status, g.body)
	}
	if job, _ := n.broker.last(t); !strings.Contains(string(job.Body), `"prompt":"<&>"`) {
		t.Errorf("job %s", job.Body)
	}
	if g := n.post("/v1/images/generations", body+field(127)+"}"); g.status != http.StatusBadRequest ||
		!strings.Contains(g.body, "RequestUnreadable") {
		t.Errorf("status %d, %s", g.status, g.body)
	}
}
