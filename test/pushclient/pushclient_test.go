package pushclient_test

import (
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/pushclient"
)

func TestPush(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/live/closed/0.ts" {
			http.Error(w, "No sessions available", http.StatusServiceUnavailable)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		m := multipart.NewWriter(w)
		w.Header().Set("Content-Type", "multipart/mixed; boundary="+m.Boundary())
		w.Header().Set("Tutti-Media-Ms", "12.5")
		for _, name := range []string{"large", "small"} {
			p, err := m.CreatePart(textproto.MIMEHeader{"Rendition-Name": {name}})
			if err != nil {
				t.Error(err)
			}
			fmt.Fprintf(p, "%s %s of %s %s", name, body, r.URL.Path, r.Header.Get("Content-Duration"))
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	seg := pushclient.Segment{Stream: "film", File: "0.ts", Data: []byte("segment"), Duration: 2 * time.Second}
	a, err := pushclient.Push(t.Context(), server.Client(), server.URL, seg)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Renditions) != 2 || a.Renditions[1].Name != "small" || a.Media != 12500*time.Microsecond || a.Took <= 0 {
		t.Errorf("%+v", a)
	}
	if got := string(a.Renditions[0].Data); got != "large segment of /live/film/0.ts 2000" {
		t.Errorf("%q", got)
	}
	seg.Stream = "closed"
	if _, err := pushclient.Push(t.Context(), server.Client(), server.URL, seg); err == nil ||
		!strings.Contains(err.Error(), "503") || !strings.Contains(err.Error(), "No sessions available") {
		t.Errorf("a refusal: %v", err)
	}
}
