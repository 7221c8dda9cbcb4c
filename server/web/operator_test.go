package web_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/server/web"
)

// operator serves the operator's pages as the admin listener does.
func operator(onChain func() (adminapi.PublicStatus, bool)) http.Handler {
	mux := http.NewServeMux()
	for pattern, page := range web.OperatorPages(onChain) {
		mux.Handle(pattern, page)
	}
	return mux
}

func fetch(h http.Handler, method, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, path, nil))
	return w
}

// The page and all that it names is there, from this listener alone, under a policy
// that lets nothing else in.
func TestOperatorPage(t *testing.T) {
	t.Parallel()
	h := operator(nil)
	page := fetch(h, http.MethodGet, "/")
	if page.Code != http.StatusOK || !strings.HasPrefix(page.Header().Get("Content-Type"), "text/html") {
		t.Fatalf("%d %v", page.Code, page.Header())
	}
	policy := page.Header().Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") ||
		strings.Contains(policy, "http") || !strings.Contains(policy, "frame-ancestors 'none'") {
		t.Errorf("policy %q", policy)
	}
	left, seen := []string{page.Body.String()}, map[string]bool{}
	reference := regexp.MustCompile(`(?:(?:src|href)=|from |import\()["']([^"'#]+)["']`)
	for len(left) > 0 {
		text := left[0]
		left = left[1:]
		if strings.Contains(strings.ReplaceAll(text, "/*! https://github.com/leeoniya/uPlot", ""), "://") ||
			strings.Contains(text, "style=") || strings.Contains(text, "innerHTML") {
			t.Errorf("it loads from elsewhere, or writes styles or HTML:\n%.200s", text)
		}
		for _, m := range reference.FindAllStringSubmatch(text, -1) {
			name := strings.TrimPrefix(m[1], "./")
			if seen[name] || strings.HasPrefix(name, "data:") {
				continue
			}
			seen[name] = true
			got := fetch(h, http.MethodGet, "/"+name)
			if got.Code != http.StatusOK || got.Body.Len() == 0 || got.Header().Get("Content-Security-Policy") != policy {
				t.Errorf("%s: %d", name, got.Code)
			}
			if strings.HasSuffix(name, ".js") && !strings.HasPrefix(got.Header().Get("Content-Type"), "text/javascript") {
				t.Errorf("%s is %s, which is no module", name, got.Header().Get("Content-Type"))
			}
			left = append(left, got.Body.String())
		}
	}
	files, err := filepath.Glob("operator/*")
	if err != nil || len(files) < 6 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		if name := filepath.Base(f); !seen[name] && name != "operator.html" && name != "vendor" {
			t.Errorf("%s is not used", name)
		}
	}
}

// All that a browser loads is small.
func TestOperatorWeight(t *testing.T) {
	t.Parallel()
	h := operator(nil)
	var sum int
	for pattern := range web.OperatorPages(nil) {
		name := strings.TrimSuffix(strings.TrimPrefix(pattern, "GET "), "{$}")
		if name != "/" && !strings.HasSuffix(name, ".README") && !strings.HasSuffix(name, ".LICENSE") {
			sum += fetch(h, http.MethodGet, name).Body.Len()
		}
	}
	t.Logf("%d bytes", sum)
	if sum < 50_000 || sum > 200_000 {
		t.Errorf("%d bytes", sum)
	}
}

// What a script finds by its ID is in the page.
func TestOperatorIDs(t *testing.T) {
	t.Parallel()
	h := operator(nil)
	page := fetch(h, http.MethodGet, "/").Body.String()
	for _, script := range []string{"operator.js", "overview.js", "work.js", "money.js", "onchain.js", "log.js",
		"chain.js"} {
		text := fetch(h, http.MethodGet, "/"+script).Body.String()
		ids := regexp.MustCompile(`(?:id|part)\('([a-z-]+)'`).FindAllStringSubmatch(text, -1)
		if script == "chain.js" {
			ids = [][]string{{"", "chain"}, {"", "standing"}, {"", "elapsed"}, {"", "rewards"}}
		}
		if len(ids) < 2 {
			t.Fatalf("%s: %v", script, ids)
		}
		for _, m := range ids {
			if !strings.Contains(page, `id="`+m[1]+`"`) {
				t.Errorf("%s looks for %s", script, m[1])
			}
		}
	}
}

// The page only reads, but for the one script that has the token.
func TestOperatorReads(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("operator/*.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		operates := filepath.Base(f) == "operate.js"
		for _, word := range []string{"method:", "POST", "sessionStorage", "XMLHttpRequest", "sendBeacon", "localStorage",
			"cookie", "eval("} {
			if operates && slices.Contains([]string{"method:", "POST"}, word) {
				continue
			}
			if strings.Contains(string(text), word) {
				t.Errorf("%s has %s", f, word)
			}
		}
	}
	h := operator(nil)
	if got := fetch(h, http.MethodPost, "/"); got.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", got.Code)
	}
	if got := fetch(h, http.MethodGet, "/nothing"); got.Code != http.StatusNotFound {
		t.Errorf("%d for a path that is none", got.Code)
	}
}

func TestOperatorStanding(t *testing.T) {
	t.Parallel()
	if got := fetch(operator(nil), http.MethodGet, web.ChainStatusPath); got.Code != http.StatusOK || got.Body.Len() != 0 {
		t.Errorf("off-chain: %d", got.Code)
	}
	known := false
	h := operator(func() (adminapi.PublicStatus, bool) {
		return adminapi.PublicStatus{State: adminapi.PublicActive}, known
	})
	if got := fetch(h, http.MethodGet, web.ChainStatusPath); got.Code != http.StatusNoContent {
		t.Errorf("%d while nothing is known", got.Code)
	}
	known = true
	if got := fetch(h, http.MethodGet, web.ChainStatusPath); got.Code != http.StatusOK ||
		!strings.Contains(got.Body.String(), `"state":"active"`) {
		t.Errorf("%d %s", got.Code, got.Body)
	}
	// The gateway's public page has nothing of the operator's.
	if resp, _ := get(t, "/operator.js"); resp.StatusCode != http.StatusNotFound {
		t.Errorf("the public listener has it: %s", resp.Status)
	}
}
