package monitoring

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
)

// prometheus is a running one.
type prometheus struct {
	*harness.Process
	t   *testing.T
	url string
}

const configuration = `global:
  scrape_interval: 500ms
  evaluation_interval: 500ms
rule_files: [rules.yml]
scrape_configs:
  - job_name: tutti
    static_configs: [{targets: [%s]}]
`

var holdTime = regexp.MustCompile(`(?m)^        for: \d+s$`)

// start has a Prometheus look at nodes. Its rules are those of the tree, except that
// what holds is told at once.
func start(t *testing.T, nodes ...string) *prometheus {
	t.Helper()
	dir := t.TempDir()
	text, err := os.ReadFile(rules)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "rules.yml"), holdTime.ReplaceAllString(string(text), "        for: 0s"))
	write(t, filepath.Join(dir, "prometheus.yml"), fmt.Sprintf(configuration, strings.Join(nodes, ", ")))
	addr := harness.Address(t)
	p := &prometheus{t: t, url: "http://" + addr, Process: harness.Start(t, filepath.Join(programs, "prometheus"),
		"--config.file="+filepath.Join(dir, "prometheus.yml"), "--storage.tsdb.path="+filepath.Join(dir, "data"),
		"--web.listen-address="+addr)}
	p.WaitHTTP(p.url + "/-/ready")
	return p
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// ask reads one of Prometheus' answers.
func ask[T any](p *prometheus, path string) (out T) {
	p.t.Helper()
	code, body := harness.Get(p.t, p.url+path)
	var answer struct {
		Status string
		Data   T
	}
	if err := json.Unmarshal(body, &answer); err != nil || code != 200 || answer.Status != "success" {
		p.t.Fatalf("%s: %d %v %s", path, code, err, body)
	}
	return answer.Data
}

// value is what an expression comes to, in words; "" for nothing.
func (p *prometheus) value(expr string) string {
	type result struct {
		Result []struct{ Value [2]any }
	}
	r := ask[result](p, "/api/v1/query?query="+url.QueryEscape(expr)).Result
	if len(r) == 0 {
		return ""
	}
	return r[0].Value[1].(string)
}

// tutti starts a node that shows its metrics, and returns its admin address.
func tutti(t *testing.T, args ...string) (*harness.Process, string) {
	t.Helper()
	admin := harness.Address(t)
	public := harness.Address(t)
	p := harness.Start(t, node,
		append([]string{"-orchestrator", "-serviceAddr", public, "-httpAddr", public, "-cliAddr", admin, "-monitor",
			"-dataDir", t.TempDir()}, args...)...)
	p.WaitHTTP("http://" + admin + "/-/healthy")
	return p, admin
}

const limit = 60 * time.Second

func TestPrometheusTellsWhatIsWrong(t *testing.T) {
	t.Parallel()
	good, goodAt := tutti(t, "-transcoder")
	cert, key := shortLived(t)
	_, shortAt := tutti(t, "-transcoder", "-tlsCert", cert, "-tlsKey", key)
	_, idleAt := tutti(t, "-orchSecret", "a secret of this test") // it has no transcoder
	p := start(t, goodAt, shortAt, idleAt)

	good.WaitHTTP("http://" + goodAt + "/-/ready")
	p.Wait("all nodes to be read", limit, func() bool { return p.value(`count(up{job="tutti"} == 1)`) == "3" })
	p.Wait("the build", limit, func() bool { return p.value(`count(tutti_build_info)`) == "3" })
	p.allRulesAreHealthy()

	fires := func(alert, at string) bool {
		return p.value(fmt.Sprintf(`count(ALERTS{alertname=%q,instance=%q,alertstate="firing"})`, alert, at)) == "1"
	}
	p.Wait("the certificate's alert", limit, func() bool { return fires("TuttiCertificateExpired", shortAt) })
	p.Wait("the alert of a node without transcoders", limit, func() bool {
		return fires("TuttiNoTranscoders", idleAt) && fires("TuttiNotReady", idleAt)
	})
	for _, alert := range []string{"TuttiDown", "TuttiNotReady", "TuttiCertificateExpired", "TuttiNoTranscoders",
		"TuttiReloadFailed"} {
		if fires(alert, goodAt) {
			t.Errorf("%s fires for a node with which nothing is wrong", alert)
		}
	}
	if code, body := harness.Get(t, "http://"+idleAt+"/-/ready"); code != 503 ||
		!strings.Contains(string(body), "NoTranscoders") {
		t.Errorf("a node without a transcoder: %d %s", code, body)
	}
	good.Signal(syscall.SIGKILL)
	p.Wait("the alert of a node that is gone", limit, func() bool { return fires("TuttiDown", goodAt) })
}

// allRulesAreHealthy waits until every rule was looked at, and none had an error.
func (p *prometheus) allRulesAreHealthy() {
	p.t.Helper()
	type answer struct {
		Groups []struct {
			Rules []struct{ Name, Health, LastError string }
		}
	}
	text, err := os.ReadFile(rules)
	if err != nil {
		p.t.Fatal(err)
	}
	want := strings.Count(string(text), "- alert: ")
	p.Wait("every rule to be looked at", limit, func() bool {
		n := 0
		for _, g := range ask[answer](p, "/api/v1/rules").Groups {
			for _, r := range g.Rules {
				switch r.Health {
				case "ok":
					n++
				case "err":
					p.t.Fatalf("%s: %s", r.Name, r.LastError)
				}
			}
		}
		return n == want && want >= 20
	})
}
