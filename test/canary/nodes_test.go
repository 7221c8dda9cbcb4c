package canary

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

const exitTime = 60 * time.Second

// failing is a service that is not glad of what it is sent.
func failing(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		_, _ = fmt.Fprintf(w, "%s is refused: %s", r.URL, r.Header.Get("Authorization")) // services do that
	}))
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}

func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func segment(t *testing.T) clip.Segment {
	t.Helper()
	g, err := clip.Generate(clip.Options{Width: 320, Height: 180, FPSNum: 15, FPSDen: 1, Segments: 1, Bitrate: 300_000})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	s, err := g.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ask sends a request with secrets in its headers and its body.
func ask(t *testing.T, url string, headers map[string]string, body string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range headers {
		req.Header.Set(k, v)
	}
	resp, err := harness.Client().Do(req)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	return fmt.Sprint(resp.Status, resp.Header, string(b))
}

func TestOffchainNodes(t *testing.T) {
	t.Parallel()
	m := newMarks(t)
	bad, orch, orchAdmin, gw, gwAdmin := failing(t), harness.Address(t), harness.Address(t), harness.Address(t),
		harness.Address(t)
	models := write(t, "models.json",
		fmt.Sprintf(`[{"pipeline":"llm","model_id":"meta-llama/Meta-Llama-3.1-8B-Instruct","warm":true,`+
			`"url":"http://u:%s@%s/%s","token":"%s"}]`, m.mark("model URL's password"), bad, m.mark("model URL's path"),
			m.mark("model token")))
	orchArgs := []string{"-orchestrator", "-transcoder", "-aiWorker", "-aiModels", models, "-serviceAddr", orch,
		"-httpAddr", orch, "-cliAddr", orchAdmin,
		"-dataDir", t.TempDir(), "-monitor", "-adminProfiling", "-v", "6", "-alertAfter", "0",
		"-orchSecret", m.mark("orchSecret on the command line"),
		"-alert", write(t, "alerts", "http://u:"+m.mark("webhook password")+"@"+bad+"/"+m.mark("webhook path")+
			"?k="+m.mark("webhook query")+"\nslack+http://"+bad+"/services/"+m.mark("Slack path")+"\n")}
	node := harness.StartIn(t, binary, nil, orchArgs...)
	node.WaitHTTP("https://" + orch + "/healthz")
	node.WaitHTTP("http://" + orchAdmin + "/healthz")

	gwEnv := []string{"TUTTI_ALERT=discord+http://" + bad + "/api/webhooks/" + m.mark("Discord path in the environment")}
	dir := t.TempDir()
	gwArgs := []string{"-gateway", "-orchAddr", orch, "-httpAddr", gw, "-cliAddr", gwAdmin, "-dataDir", dir,
		"-transcodingOptions", "P144p30fps16x9",
		"-monitor", "-v", "6", "-logFormat", "json", "-alertAfter", "0"}
	key := harness.StartIn(t, binary, nil, "key", "create", "-new", "-name", "app", "-dataDir", dir)
	key.Exit(exitTime)
	m.named["API key"] = secretOf(t, key.Log())
	gateway := harness.StartIn(t, binary, gwEnv, gwArgs...)
	gateway.WaitHTTP("http://" + gw + "/healthz")
	gateway.WaitHTTP("http://" + gwAdmin + "/healthz")

	s := segment(t)
	if _, err := harness.Push("http://"+gw, "movie", "0.ts", s.Data, s.Duration); err != nil {
		t.Error(err)
	}
	chat := `{"model":"meta-llama/Meta-Llama-3.1-8B-Instruct","max_tokens":5,"messages":[{"role":"user","content":"` +
		m.mark("prompt") + `"}]}`
	payment := base64.StdEncoding.EncodeToString([]byte(m.mark("payment header")))
	for _, answer := range []string{
		ask(t, "http://"+gw+"/v1/chat/completions",
			map[string]string{"Authorization": "Bearer " + m.named["API key"], "Content-Type": "application/json"}, chat),
		ask(t, "http://"+gw+"/v1/chat/completions",
			map[string]string{"Authorization": "Bearer " + m.mark("wrong API key"), "Content-Type": "application/json"}, chat),
		ask(t, "http://"+gw+"/live/x/0.ts",
			map[string]string{"Authorization": "Basic " + m.mark("push credentials"), "Content-Resolution": "x"}, "x"),
		ask(t, "https://"+orch+"/segment",
			map[string]string{"Livepeer-Payment": payment, "Livepeer-Segment": m.mark("segment header")}, "x"),
		ask(t, "https://"+orch+"/llm",
			map[string]string{"Livepeer-Payment": payment, "Livepeer-Segment": m.mark("job header"),
				"Authorization": m.mark("job credentials")}, chat),
		ask(t, "http://"+orchAdmin+"/api/v1/settings",
			map[string]string{"Authorization": "Bearer " + m.mark("wrong admin token")}, `{"logLevel":6}`),
		ask(t, "http://"+orchAdmin+"/setMaxSessions?maxSessions="+m.mark("field that is none"), nil, ""),
	} {
		withoutEchoes(m).check("an answer", answer)
	}
	// Alerts have been tried when their failure is a condition.
	node.Wait("alerts to fail", exitTime, func() bool {
		_, b := harness.Get(t, "http://"+orchAdmin+"/api/v1/conditions")
		return strings.Count(string(b), `"AlertUndelivered"`) >= 2
	})
	delete(m.named, "field that is none") // a client may see its own field again
	lookAll(t, m, node, orchAdmin, nil, orchArgs, "https://"+orch+"/status")
	lookAll(t, m, gateway, gwAdmin, gwEnv, gwArgs, "http://"+gw+"/")
}

// withoutEchoes are the marks that answers must not have: the client knows the
// field that it misspelled.
func withoutEchoes(m *marks) *marks {
	out := newMarks(m.t)
	for name, s := range m.named {
		if name != "field that is none" {
			out.named[name] = s
		}
	}
	return out
}

func secretOf(t *testing.T, output string) string {
	t.Helper()
	for word := range strings.FieldsSeq(output) {
		if strings.HasPrefix(word, "tk-") {
			return word
		}
	}
	t.Fatalf("no key in %q", output)
	return ""
}
