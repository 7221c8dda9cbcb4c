package e2e

import (
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/test/harness"
)

// An operator makes a key at the admin listener, by what the dashboard sends: it is good at once, its use is seen
// there, its limits and its end hold. Without the token, from another page or under another name nothing of it
// happens, and the secret is in one answer only.
func TestKeysOfTheDashboard(t *testing.T) {
	t.Parallel()
	s := canned(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id":"1","object":"chat.completion","created":1,"model":"`+cannedModel+
			`","choices":[{"index":0,"message":{"role":"assistant","content":"word"},"finish_reason":"stop"}],`+
			`"usage":{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4}}`)
	})
	node, orch := aiOrchestrator(t, []entry{llmEntry(cannedModel, s.URL)})
	awaitModel(t, node, orch, cannedModel, "ready")
	dir, addr, cli := t.TempDir(), harness.Address(t), harness.Address(t)
	gw := harness.Start(t, binary, "-gateway", "-orchAddr", orch, "-httpAddr", addr, "-cliAddr", cli, "-dataDir", dir,
		"-transcodingOptions", ladder)
	gw.WaitHTTP("http://" + addr + "/healthz")
	gw.WaitHTTP("http://" + cli + "/-/healthy")
	token := strings.TrimSpace(fileIn(t, dir, adminapi.TokenFile))
	call := func(path, body string, change func(r *http.Request), want int) (out adminapi.APIKeys) {
		t.Helper()
		method := http.MethodPost
		if body == "" {
			method = http.MethodGet
		}
		r, err := http.NewRequestWithContext(t.Context(), method, "http://"+cli+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+token)
		if change != nil {
			change(r)
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer := readAll(t, res)
		if res.StatusCode != want {
			t.Fatalf("%s %s: %d %s", path, body, res.StatusCode, answer)
		}
		if want == http.StatusOK {
			if err := json.Unmarshal(answer, &out); err != nil {
				t.Fatal(err)
			}
		}
		return out
	}
	const create = `{"name":"app","rpm":9,"budget":1000,"period":"day","alert":1}`
	call(adminapi.PathKeyCreate, create, func(r *http.Request) { r.Header.Del("Authorization") }, http.StatusUnauthorized)
	call(adminapi.PathKeyCreate, create, func(r *http.Request) { r.Host = "evil.example" }, http.StatusForbidden)
	call(adminapi.PathKeyCreate, create, func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") },
		http.StatusForbidden)
	call(adminapi.PathKeyCreate, `{"name":"self"}`, nil, http.StatusBadRequest)
	if all := call(adminapi.PathKeys, "", nil, http.StatusOK); len(all.Keys) != 0 {
		t.Fatalf("%+v", all)
	}
	secret := call(adminapi.PathKeyCreate, create, nil, http.StatusOK).Secret
	call(adminapi.PathKeyCreate, create, nil, http.StatusBadRequest) // its name is taken
	ask := func() int {
		res, err := post(t.Context(), "http://"+addr+"/v1/chat/completions", secret, chatRequest(cannedModel, 5, false))
		if err != nil {
			t.Fatal(err)
		}
		_ = readAll(t, res)
		return res.StatusCode
	}
	if got := ask(); got != http.StatusOK {
		t.Fatal(got)
	}
	eventually(t, "the request's use", func() bool {
		all := call(adminapi.PathKeys, "", nil, http.StatusOK)
		k := all.Keys[0]
		return len(all.Keys) == 1 && all.Secret == "" && k.Secret == "" && k.Requests == 1 && k.Used > 0 &&
			k.LastUsed != "" && k.TodayRequests == 1 && k.TodayWei == "0" && k.State == "good"
	})
	limited := call(adminapi.PathKeyLimits, `{"key":"app","models":["other*"]}`, nil, http.StatusOK).Keys[0]
	if got := ask(); got != http.StatusForbidden || limited.RPM != 9 {
		t.Errorf("%d %+v", got, limited)
	}
	if revoked := call(adminapi.PathKeyRevoke, `{"key":"app"}`, nil, http.StatusOK).Keys[0]; revoked.State != "revoked" {
		t.Errorf("%+v", revoked)
	}
	if got := ask(); got != http.StatusUnauthorized {
		t.Error(got)
	}
	if audit := fileIn(t, dir, "admin-audit.log"); strings.Contains(gw.Log(), secret) || strings.Contains(audit, secret) ||
		!strings.Contains(audit, adminapi.PathKeyCreate) {
		t.Errorf("a secret was written down, or the change was not:\n%s", audit)
	}
}

// fileIn reads the file of a name below a directory.
func fileIn(t *testing.T, dir, name string) (text string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, f fs.DirEntry, err error) error {
		if err == nil && f.Name() == name {
			b, err := os.ReadFile(path)
			text = string(b)
			return err
		}
		return err
	})
	if err != nil || text == "" {
		t.Fatalf("no %s: %v", name, err)
	}
	return text
}
