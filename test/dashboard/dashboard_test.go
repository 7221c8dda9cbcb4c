package dashboard

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// A browser sees what it should, and complains of nothing.
func TestDashboard(t *testing.T) {
	program, packages := browser(t)
	n := newNode(t, true)
	control := n.control()
	defer control.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	suite, err := filepath.Abs("suite.cjs")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, "node", "--test", "--test-reporter=tap", suite)
	cmd.Env = append(os.Environ(), "NODE_PATH="+packages, "TUTTI_BROWSER="+program, "TUTTI_URL="+n.url(),
		"TUTTI_TOKEN="+n.token, "TUTTI_CONTROL="+control.URL)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if testing.Verbose() {
		t.Logf("%s", out)
	}
}

// control lets the suite change the node: POST /set?code=, /clear?code=, /shut, /say.
func (n *node) control() *httptest.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /set", func(_ http.ResponseWriter, r *http.Request) {
		n.board.Set(health.Key{Code: fault.Code(r.FormValue("code")), About: r.FormValue("about")}, r.FormValue("detail"))
	})
	mux.HandleFunc("POST /clear", func(_ http.ResponseWriter, r *http.Request) {
		n.board.Clear(health.Key{Code: fault.Code(r.FormValue("code")), About: r.FormValue("about")})
	})
	mux.HandleFunc("POST /door", func(_ http.ResponseWriter, r *http.Request) {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.reason = r.FormValue("reason")
	})
	mux.HandleFunc("POST /say",
		func(_ http.ResponseWriter, r *http.Request) { n.say(r.FormValue("level"), r.FormValue("text")) })
	return httptest.NewServer(mux)
}
