package doctorcmd_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/doctorcmd"
	"github.com/tuttinode/tutti/core"
)

// open reads a bundle.
func open(t *testing.T, a *doctorcmd.Archive) map[string]string {
	t.Helper()
	var b bytes.Buffer
	if err := a.Write(&b); err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil || h.Mode != 0o600 {
			t.Fatalf("%v, mode %o", err, h.Mode)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		out[path.Base(h.Name)] = string(content)
	}
}

func TestBundleSaysWhatIsInIt(t *testing.T) {
	t.Parallel()
	a := doctorcmd.NewBundle(time.Unix(1e9, 0), doctorcmd.NewMask())
	a.Add("a.txt", "the first part", []byte("alpha"))
	a.Missing("b.json", "the second part", errors.New("gone"))
	got := open(t, a)
	if got["a.txt"] != "alpha" || got["b.json.missing.txt"] != "gone\n" ||
		!strings.Contains(got["README.txt"], "the first part") ||
		!strings.Contains(got["README.txt"], "the second part: missing") || got["README.txt"] == "" {
		t.Errorf("%q", got)
	}
}

func TestSecretsAreTakenOut(t *testing.T) {
	t.Parallel()
	type nested struct {
		Keys map[string]core.Secret
		List []core.Secret
	}
	config := &struct {
		Plain  string
		Nested *nested
		Any    any
	}{"plain", &nested{map[string]core.Secret{"a": core.NewSecret("in a map")},
		[]core.Secret{core.NewSecret("in a list")}}, core.NewSecret("behind any")}
	found := strings.Join(doctorcmd.Secrets(config), "|")
	for _, want := range []string{"in a map", "in a list", "behind any"} {
		if !strings.Contains(found, want) {
			t.Errorf("%q is not in %q", want, found)
		}
	}
	mask := doctorcmd.NewMask("pass\"word& more",
		"https://user:p4ssw0rd@host.example/v2/0123456789abcdef0123?key=queryKey1", "first-line\nsecond-line", "abc")
	text := `pass"word& more pass\"word\u0026 more pass%22word%26+more p4ssw0rd ` +
		"0123456789abcdef0123 queryKey1 second-line abc host.example"
	if got := string(mask.Clean([]byte(text))); got != "*** *** *** *** *** *** *** abc host.example" {
		t.Errorf("left: %s", got)
	}
}

func TestRunningNode(t *testing.T) {
	t.Parallel()
	node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") != "Bearer t0k3n-of-the-node":
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/api/v1/log":
			_, _ = io.WriteString(w, `{"lines":[{"time":"2026-01-02T03:04:05Z","level":"info","source":"a.go:1",`+
				`"text":"hello t0k3n-of-the-node"}]}`)
		case r.URL.Path == "/api/v1/node", r.URL.Path == "/metrics":
			_, _ = io.WriteString(w, `{"a":1}`)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(node.Close)
	a := doctorcmd.NewBundle(time.Unix(1e9, 0), doctorcmd.NewMask("t0k3n-of-the-node"))
	a.AddNode(t.Context(), doctorcmd.Node{Address: strings.TrimPrefix(node.URL, "http://"), Token: "t0k3n-of-the-node"})
	got := open(t, a)
	if got["log.txt"] != "2026-01-02T03:04:05.000Z info    a.go:1] hello ***\n" ||
		got["node.json"] != "{\n  \"a\": 1\n}\n" ||
		!strings.HasPrefix(got["chain.json.missing.txt"], "status 404") {
		t.Errorf("%q", got)
	}
	node.Close()
	a = doctorcmd.NewBundle(time.Unix(1e9, 0), doctorcmd.NewMask())
	a.AddNode(t.Context(), doctorcmd.Node{Address: strings.TrimPrefix(node.URL, "http://")})
	if got := open(t, a); !strings.Contains(got["node.missing.txt"], "no node answers") {
		t.Errorf("%q", got)
	}
}

func TestSystemHasNamesOfTheEnvironmentOnly(t *testing.T) {
	t.Parallel()
	a := doctorcmd.NewBundle(time.Unix(1e9, 0), doctorcmd.NewMask())
	a.AddSystem([]string{"HOME=/root", "SOME_TOKEN=s3cr3t"})
	if got := open(t, a)["system.txt"]; !strings.Contains(got, "HOME SOME_TOKEN\n") || strings.Contains(got, "s3cr3t") {
		t.Error(got)
	}
}
