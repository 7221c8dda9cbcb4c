package node_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/cmd/tutti_cli/node"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
)

// fixed is a token that was found.
func fixed(token string) func(context.Context, *node.Client) (string, error) {
	return func(context.Context, *node.Client) (string, error) { return token, nil }
}

func client(t *testing.T, address string, token func(context.Context, *node.Client) (string, error)) *node.Client {
	t.Helper()
	c, err := node.New(node.Options{URL: address, Token: token})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for address, good := range map[string]bool{
		"http://127.0.0.1:7935": true, "https://node.example.com": true, "unix:/run/tutti.sock": true,
		"unix:///run/tutti.sock": true,
		"":                       false, "unix:": false, "127.0.0.1:7935": false,
		"ftp://h:1": false, "http://u:secret@h:1": false,
		"http://h:1/path": false, "http://h:1?q": false,
	} {
		_, err := node.New(node.Options{URL: address})
		if (err == nil) != good {
			t.Errorf("%q: %v", address, err)
		}
		if err != nil && (!errors.Is(err, fault.CommandLineInvalid) || strings.Contains(err.Error(), "secret")) {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/node", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Error("a token was sent for a look at a node on this machine")
		}
		_, _ = w.Write([]byte(`{"version":"1","network":"devnet"}`))
	})
	mux.HandleFunc("POST /api/v1/gas", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer token" || r.URL.Query().Get("dryRun") != "true" {
			t.Errorf("%v %s", r.Header, r.URL)
		}
		w.WriteHeader(http.StatusConflict)
		_, _ = w.Write([]byte(`{"error":{"code":"NewCode","message":"facts","cause":"c","remedy":"do this"}}`))
	})
	mux.HandleFunc("GET /api/v1/chain", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`<html>`)) })
	mux.HandleFunc("GET /api/v1/gas", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://example.com/", http.StatusFound)
	})
	mux.HandleFunc("POST /setMaxFaceValue", func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("set to " + r.FormValue("maxfacevalue") + "\n"))
	})
	mux.HandleFunc("POST /refused", func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, r.FormValue("text"), http.StatusBadRequest)
	})
	s := httptest.NewServer(mux)
	defer s.Close()
	c := client(t, s.URL, fixed("token"))
	for text, code := range map[string]string{"RoundLocked: round 7": "RoundLocked",
		"missing form param: a": "AdminBadParam"} {
		if _, err := c.Form(t.Context(), "/refused", url.Values{"text": {text}}); node.Code(err) != code {
			t.Error(text, err)
		}
	}
	var about adminapi.Node
	if err := c.Get(t.Context(), adminapi.PathNode, &about); err != nil || about.Network != "devnet" {
		t.Error(about, err)
	}
	err := c.Post(t.Context(), adminapi.PathGas, url.Values{"dryRun": {"true"}}, adminapi.None{}, nil)
	if p := node.Explain(err); p != (node.Problem{Code: "NewCode", Message: "facts", Remedy: "do this"}) ||
		err.Error() != "NewCode (facts)" {
		t.Errorf("%+v %v", p, err)
	}
	for _, path := range []string{adminapi.PathChain, adminapi.PathGas, adminapi.PathReward} {
		if err := c.Get(t.Context(), path, &about); !errors.Is(err, fault.NodeAnswerUnreadable) {
			t.Error(path, err)
		}
	}
	if text, err := c.Form(t.Context(), "/setMaxFaceValue", url.Values{"maxfacevalue": {"5"}}); text != "set to 5" ||
		err != nil {
		t.Error(text, err)
	}
	if _, err := c.Form(t.Context(), "/setNothing", nil); !errors.Is(err, fault.FeatureMissing) {
		t.Error(err)
	}
}

func TestUnixSocket(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "cli")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	s := &httptest.Server{Listener: l,
		Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write([]byte(`{"network":"` + r.Host + `"}`))
		})}}
	s.Start()
	defer s.Close()
	var about adminapi.Node
	if err := client(t, "unix:"+path, fixed("t")).Get(t.Context(), adminapi.PathNode, &about); err != nil ||
		about.Network != "localhost" {
		t.Error(about, err)
	}
}

func TestSilence(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	c := client(t, s.URL, fixed("very secret"))
	err := c.Post(t.Context(), adminapi.PathGas, nil, adminapi.None{}, nil)
	if !errors.Is(err, fault.NodeUnreachable) || strings.Contains(node.Explain(err).Message, "secret") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Get(ctx, adminapi.PathNode, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	c = client(t, "http://node.example.com:7935", fixed("very secret"))
	if err := c.Post(t.Context(), adminapi.PathGas, nil, adminapi.None{}, nil); !errors.Is(err, fault.AdminTokenInClear) {
		t.Error(err)
	}
}

func TestTokenSources(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"network":"devnet"}`))
	}))
	defer s.Close()
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"network":"../x"}`))
	}))
	defer evil.Close()
	home := t.TempDir()
	put := func(content string, parts ...string) string {
		path := filepath.Join(append([]string{home}, parts...)...)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700),
			os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	put("network\n", ".tutti", "devnet", adminapi.TokenFile)
	put("other", ".tutti", "other", adminapi.TokenFile)
	put("data", "data", adminapi.TokenFile)
	file, empty := put("file\n", "file"), put("\n", "empty")
	tests := []struct {
		sources   node.TokenSources
		url, want string
	}{
		{node.TokenSources{File: file, Env: "env"}, s.URL, "file"},
		{node.TokenSources{Env: "env", DataDir: home}, s.URL, "env"},
		{node.TokenSources{DataDir: filepath.Join(home, "data"), Home: home}, s.URL, "data"},
		{node.TokenSources{Home: home}, s.URL, "network"},
		{node.TokenSources{Home: home, Service: filepath.Join(home, "data")}, s.URL, "data"},
		{node.TokenSources{Home: home, Service: filepath.Join(home, "data"), Network: "other"}, s.URL, "other"},
		{node.TokenSources{Home: home, Service: filepath.Join(home, "never-started")}, s.URL, "network"},
		{node.TokenSources{Home: home, Network: "other"}, s.URL, "other"},
		{node.TokenSources{Home: home, Network: "none"}, s.URL, ""},
		{node.TokenSources{Home: home}, evil.URL, ""},
		{node.TokenSources{File: empty}, s.URL, ""},
		{node.TokenSources{File: home}, s.URL, ""},
		{node.TokenSources{}, s.URL, ""},
	}
	for _, tt := range tests {
		got, err := tt.sources.Find(t.Context(), client(t, tt.url, nil))
		if got != tt.want || (tt.want == "") != errors.Is(err, fault.AdminTokenMissing) {
			t.Errorf("%+v: %q, %v", tt.sources, got, err)
		}
	}
}
