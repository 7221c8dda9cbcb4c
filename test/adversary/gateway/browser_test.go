package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

// A real browser: what its pages can do with a gateway on the same machine, and that the
// gateway's own page plays a stream whose addresses are signed.
func TestPagesInABrowser(t *testing.T) {
	t.Parallel()
	part := func(args ...string) string {
		out, err := exec.Command("../../../deploy/deps/deps.sh", args...).Output()
		if err != nil {
			t.Fatalf("%v: %v: make parts gets what is missing", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	program, packages := part("browser"), part("npm", "../../../test/dashboard")
	open, keyed := start(t), start(t, "-streamAccess", "keys")
	open.stream("film")
	key := keyed.key()
	keyed.pushWith(key)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<title>a page</title>")
	}))
	t.Cleanup(site.Close)
	suite, err := filepath.Abs("browser.cjs")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "--test", "--test-reporter=tap", suite)
	cmd.Env = append(os.Environ(), "NODE_PATH="+packages+"/node_modules", "TUTTI_BROWSER="+program,
		"TUTTI_OPEN="+open.base,
		"TUTTI_KEYS="+keyed.base, "TUTTI_KEY="+key, "TUTTI_SITE="+site.URL)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// pushWith pushes a stream with a key, as an encoder elsewhere would.
func (g *target) pushWith(key string) {
	g.Helper()
	c, err := clip.Generate(clip.Options{Width: 320, Height: 180, FPSNum: 15, FPSDen: 1, Segments: 4, Bitrate: 200_000,
		Segment: time.Second})
	if err != nil {
		g.Fatal(err)
	}
	defer c.Close()
	for n := 0; ; n++ {
		s, err := c.Next(g.Context())
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			g.Fatal(err)
		}
		status, text := g.ask("PUT", fmt.Sprintf("/live/film/%d.ts", n), s.Data, "Authorization", "Bearer "+key,
			"Content-Duration", "1000")
		if status != http.StatusOK {
			g.Fatalf("segment %d: %d %s", n, status, text)
		}
	}
}
