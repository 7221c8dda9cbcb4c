package web_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/server/web"
)

func get(t *testing.T, path string) (*http.Response, string) {
	t.Helper()
	w := httptest.NewRecorder()
	web.Handler(nil).ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	body, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Result(), string(body)
}

// The page loads its own files only, and all of them are there.
func TestPage(t *testing.T) {
	t.Parallel()
	resp, page := get(t, "/")
	if resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
		t.Fatalf("%s %s", resp.Status, resp.Header.Get("Content-Type"))
	}
	policy := resp.Header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
		t.Errorf("policy %q", policy)
	}
	refs := regexp.MustCompile(`(?:src|href)="([^"]+)"`).FindAllStringSubmatch(page, -1)
	if len(refs) < 3 {
		t.Fatalf("only %d references in the page", len(refs))
	}
	for _, ref := range refs {
		if strings.HasPrefix(ref[1], "data:") {
			continue
		}
		if strings.Contains(ref[1], "//") {
			t.Errorf("%s is loaded from elsewhere", ref[1])
			continue
		}
		if resp, body := get(t, "/"+ref[1]); resp.StatusCode != http.StatusOK || body == "" {
			t.Errorf("%s: %s", ref[1], resp.Status)
		}
	}
}

func TestUnknownFile(t *testing.T) {
	t.Parallel()
	if resp, _ := get(t, "/../web.go"); resp.StatusCode == http.StatusOK {
		t.Errorf("a file outside the page: %s", resp.Status)
	}
	if resp, _ := get(t, "/nothing"); resp.StatusCode != http.StatusNotFound {
		t.Errorf("%s, want 404", resp.Status)
	}
}

func TestStanding(t *testing.T) {
	t.Parallel()
	known := false
	h := web.Handler(func() (adminapi.PublicStatus, bool) {
		return adminapi.PublicStatus{State: adminapi.PublicActive, Stake: core.LPTTokens(7),
			Rewards: []adminapi.PublicReward{}}, known
	})
	ask := func() *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, web.ChainStatusPath, nil))
		return w
	}
	if w := ask(); w.Code != http.StatusNoContent {
		t.Errorf("%d while nothing is known", w.Code)
	}
	known = true
	if w := ask(); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"stake":"7000000000000000000"`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if resp, body := get(t, web.ChainStatusPath); resp.StatusCode != http.StatusOK || body != "" {
		t.Errorf("off-chain: %s", resp.Status)
	}
}
