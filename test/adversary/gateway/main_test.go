package gateway

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

// binary is the program under test.
var binary string

func TestMain(m *testing.M) { os.Exit(harness.Main(build, m.Run)) }

func build(dir string) error {
	if err := harness.Node(&binary)(dir); err != nil {
		return err
	}
	_, err := devnet.Binary()
	return err
}

// target is a gateway with an orchestrator in its process.
type target struct {
	*testing.T
	base, dir string
	node      *harness.Process
}

func start(t *testing.T, args ...string) *target {
	t.Helper()
	service, addr := harness.Address(t), harness.Address(t)
	g := &target{T: t, base: "http://" + addr, dir: t.TempDir()}
	g.node = harness.Start(t, binary, append([]string{"-orchestrator", "-transcoder", "-gateway", "-network",
		"offchain", "-serviceAddr", service,
		"-gatewayAddr", addr, "-cliAddr", harness.Address(t), "-dataDir", g.dir, "-transcodingOptions",
		"P144p30fps16x9"}, args...)...)
	g.node.WaitHTTP(g.base + "/healthz")
	g.node.WaitHTTP("https://" + service + "/healthz")
	return g
}

// key makes an API key, and waits until the gateway knows it.
func (g *target) key() string {
	g.Helper()
	out, status := harness.Output(g, binary, "key", "create", "-name", "app", "-dataDir", g.dir)
	i := strings.Index(out, "tk-")
	if status != 0 || i < 0 {
		g.Fatalf("tutti key create: %d %s", status, out)
	}
	secret := strings.Fields(out[i:])[0]
	g.node.Wait("the key to be known", 20*time.Second, func() bool {
		status, _ := g.ask("GET", "/v1/models", nil)
		return status == http.StatusUnauthorized
	})
	return secret
}

// ask sends a request with the given headers, pairs of name and value; "Host" is the
// host that the request names.
func (g *target) ask(method, path string, body []byte, headers ...string) (int, string) {
	g.Helper()
	r, err := http.NewRequestWithContext(g.Context(), method, g.base+path, bytes.NewReader(body))
	if err != nil {
		g.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
			continue
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := harness.Client().Do(r)
	if err != nil {
		g.Fatal(err)
	}
	defer resp.Body.Close()
	// An event stream does not end; its beginning says enough.
	text, err := io.ReadAll(io.LimitReader(resp.Body, map[bool]int64{true: 16,
		false: 1 << 20}[strings.HasSuffix(path, "/events")]))
	if err != nil {
		g.Fatal(err)
	}
	return resp.StatusCode, resp.Header.Get("Tutti-Code") + " " + string(text)
}

// stream pushes a second of video under a name, from the machine itself.
func (g *target) stream(name string) {
	g.Helper()
	c, err := clip.Generate(clip.Options{Width: 320, Height: 180, FPSNum: 15, FPSDen: 1, Segments: 2, Bitrate: 200_000,
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
		if err == nil {
			_, err = harness.Push(g.base, name, []string{"0.ts", "1.ts"}[n], s.Data, s.Duration)
		}
		if err != nil {
			g.Fatal(err)
		}
	}
}
