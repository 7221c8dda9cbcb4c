package money

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/test/pipelines"
)

var (
	lastBoundary = regexp.MustCompile(`.*;\s*boundary="?([^";]+)`)
	lastName     = regexp.MustCompile(`.*;\s*name="?([^";]+)`)
)

// longestSound reads a form as python-multipart does, with which FastAPI's servers read theirs, and
// returns the length of the longest file that it finds as the sound: line breaks before the first
// boundary are skipped, and where quotes are escaped the last parameter of a header counts.
func longestSound(contentType string, body []byte) (n int) {
	b := lastBoundary.FindStringSubmatch(contentType)
	if b == nil {
		return 0
	}
	text := "\r\n" + strings.TrimLeft(string(body), "\r\n")
	for part := range strings.SplitSeq(text, "\r\n--"+b[1]) {
		header, value, _ := strings.Cut(part, "\r\n\r\n")
		if name := lastName.FindStringSubmatch(header); name != nil && name[1] == "audio" {
			n = max(n, len(value))
		}
	}
	return n
}

// TestFormsOfTwoReadings: a model server gets the sound that was billed, also where it reads forms in
// another way than the node.
func TestFormsOfTwoReadings(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.runner.Does("audio-to-text", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(rw, `{"text":"la la","chunks":[{"text":"la la","timestamp":[0,1]}]}`)
	})
	p := w.newPayer(5)
	p.served(4)
	short, long := string(opusSound(1)), string(opusSound(200))
	part := func(boundary, disposition, value string) string {
		return "--" + boundary + "\r\nContent-Disposition: form-data; " + disposition + "\r\n\r\n" + value + "\r\n"
	}
	const b, sound = "honest", `name="audio"; filename="sound"`
	form := part(b, `name="model_id"`, pipelines.Model("audio-to-text")) + part(b, sound, short) + "--" + b + "--\r\n"
	for name, c := range map[string]struct{ contentType, body string }{
		"one reading":                       {"", form},
		"a line break before the form":      {"", "\n" + part(b, sound, long) + form},
		"escaped quotes in a part's header": {"", part(b, `a="\\"; name=x; b="; name=audio; c="`, long) + form},
		"escaped quotes in the form's header": {`; a="\\"; boundary=honest; b="; boundary=evil; c="`,
			part("evil", sound, long) + form},
	} {
		if c.contentType == "" {
			c.contentType = "; boundary=" + b
		}
		info := p.offer(wants(capability.AudioToText))
		status, text := p.job(capability.AudioToText, info, p.pay(info, 1), "multipart/form-data"+c.contentType,
			[]byte(c.body))
		request, _ := w.runner.Last("audio-to-text")
		got := longestSound(request.Header.Get("Content-Type"), request.Body)
		if status != 200 || got != len(short) {
			t.Errorf("%s, paid for a second: %d %.200s; the model server got %d bytes of sound, not %d", name, status, text,
				got, len(short))
		}
	}
}
