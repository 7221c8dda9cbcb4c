package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
)

// preferredModel is a model that two orchestrators serve.
const preferredModel = "routing/preferred"

// TestProviderPreferences has requests choose between two orchestrators.
func TestProviderPreferences(t *testing.T) {
	t.Parallel()
	a, atA := aiOrchestrator(t, []entry{llmEntry(preferredModel, parameterServer(t, preferredModel, 1000))})
	b, atB := aiOrchestrator(t, []entry{llmEntry(preferredModel, parameterServer(t, preferredModel, 1000))})
	awaitModel(t, a, atA, preferredModel, "ready")
	awaitModel(t, b, atB, preferredModel, "ready")
	admin, dir := harness.Address(t), t.TempDir()
	p, gw := gatewayAt(t, atA+","+atB, admin, "-dataDir", dir)
	for name, tt := range map[string]struct {
		provider, want string
		status         int
	}{
		"order":               {fmt.Sprintf(`{"order":[%q,%q]}`, atB, atA), atB, 200},
		"only":                {fmt.Sprintf(`{"only":["https://%s"]}`, atA), atA, 200},
		"ignore":              {fmt.Sprintf(`{"ignore":[%q]}`, atA), atB, 200},
		"no fallbacks":        {fmt.Sprintf(`{"order":[%q],"allow_fallbacks":false}`, atA), atA, 200},
		"sorted":              {fmt.Sprintf(`{"sort":"price","only":[%q],"require_parameters":true}`, atB), atB, 200},
		"nothing is left":     {`{"only":["127.0.0.1:1"]}`, "OrchestratorsExcluded", 404},
		"no orchestrator":     {`{"order":["openai"]}`, "provider.order[0]", 400},
		"no rate":             {`{"max_price":{"completion":1}}`, "provider.max_price.completion", 400},
		"sorted by something": {`{"sort":"throughput"}`, "provider.sort", 400},
	} {
		res, err := http.Post(gw+"/v1/chat/completions", "application/json", strings.NewReader(fmt.Sprintf(
			`{"model":%q,"provider":%s,"max_tokens":8,"messages":[{"role":"user","content":"hi"}]}`, preferredModel,
			tt.provider)))
		if err != nil {
			t.Fatal(err)
		}
		body := string(readAll(t, res))
		if res.StatusCode != tt.status {
			t.Errorf("%s: %d %s", name, res.StatusCode, body)
			continue
		}
		if tt.status != http.StatusOK {
			if !strings.Contains(body, tt.want) {
				t.Errorf("%s: %s", name, body)
			}
			continue
		}
		line := "request=" + res.Header.Get("X-Request-Id")
		p.Wait("the line of "+name, 10*time.Second, func() bool { return strings.Contains(p.Log(), line) })
		for l := range strings.Lines(p.Log()) {
			if strings.Contains(l, line) && !strings.Contains(l, "orchestrator=https://"+tt.want) {
				t.Errorf("%s went elsewhere: %s", name, l)
			}
		}
	}
	// The command says the same of the running gateway.
	request := filepath.Join(t.TempDir(), "request.json")
	for name, tt := range map[string]struct{ provider, want string }{
		"order": {fmt.Sprintf(`{"order":[%q]}`, atB),
			`(?s)1 +https://` + atB + ` +0 wei +loaded .*2 +https://` + atA},
		"ignore": {fmt.Sprintf(`{"ignore":[%q]}`, atA),
			`(?s)1 +https://` + atB + ` .*- +https://` + atA + ` +0 wei +ignored `},
		"wrong": {`{"sort":"throughput"}`, `provider\.sort`},
	} {
		text := fmt.Sprintf(`{"model":%q,"provider":%s,"messages":[{"role":"user","content":"hi"}]}`, preferredModel,
			tt.provider)
		if err := os.WriteFile(request, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		out, _ := harness.Output(t, binary, "gateway", "route", "--explain", request, "-gateway", "-orchAddr", atA,
			"-cliAddr", admin, "-dataDir", dir)
		if !regexp.MustCompile(tt.want).MatchString(out) {
			t.Errorf("%s: %s", name, out)
		}
	}
}
