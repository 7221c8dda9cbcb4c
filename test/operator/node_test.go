package operator

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/eth/account"
	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/harness"
)

// wallet is a data directory with an account in it, and the passphrase's file.
type wallet struct {
	dir, pass string
	address   core.Address
}

func newWallet(t *testing.T) wallet {
	t.Helper()
	w := wallet{dir: t.TempDir()}
	w.pass = filepath.Join(w.dir, "passphrase")
	if err := os.WriteFile(w.pass, []byte("open sesame\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e, err := account.Open(filepath.Join(w.dir, "keystore"), devnet.KeyCost).Create(core.NewSecret("open sesame"),
		rand.Reader, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	w.address = e.Address
	return w
}

// fund gives the account ETH and LPT.
func (w wallet) fund(t *testing.T, chain *devnet.Chain, ether, tokens string) {
	t.Helper()
	wei, err := core.ParseEther(ether)
	if err != nil {
		t.Fatal(err)
	}
	lpt, err := core.ParseTokens(tokens)
	if err != nil {
		t.Fatal(err)
	}
	if err := chain.Control.Fund(t.Context(), common.Address(w.address), wei); err != nil {
		t.Fatal(err)
	}
	if err := chain.Control.FundLPT(t.Context(), common.Address(w.address), lpt); err != nil {
		t.Fatal(err)
	}
}

// node is an orchestrator on the chain.
type node struct {
	*harness.Process
	t              *testing.T
	wallet         wallet
	service, admin string
}

// start starts a node that reaches the chain by these URLs, and waits until it
// serves: whatever is wrong with the chain, that must be soon.
func start(t *testing.T, w wallet, urls string, args ...string) *node {
	t.Helper()
	return startOf(t, w, urls, append([]string{"-pricePerUnit", "1200"}, args...)...)
}

// startOf is start for a node whose price is in args.
func startOf(t *testing.T, w wallet, urls string, args ...string) *node {
	t.Helper()
	n := &node{t: t, wallet: w, service: harness.Address(t), admin: harness.Address(t)}
	n.Process = harness.Start(t, filepath.Join(bin, "tutti"),
		append([]string{"-orchestrator", "-transcoder", "-network", "devnet",
			"-ethUrl", urls, "-ethPassword", w.pass, "-dataDir", w.dir, "-cliAddr", n.admin, "-serviceAddr", n.service,
			"-httpAddr", n.service,
			"-blockPollingInterval", "1s"}, args...)...)
	n.WaitHTTP("https://" + n.service + "/healthz")
	n.WaitHTTP("http://" + n.admin + "/healthz")
	return n
}

// cli runs tutti_cli on the node and returns what it printed and its exit status.
func (n *node) cli(args ...string) (string, int) {
	n.t.Helper()
	return harness.Output(n.t, filepath.Join(bin, "tutti_cli"), append([]string{"--url", "http://" + n.admin,
		"--token-file", filepath.Join(n.wallet.dir, "admin.token"), "--no-color"}, args...)...)
}

type condition struct{ Code, About, Detail, Cause, Remedy string }

func (n *node) conditions() []condition {
	n.t.Helper()
	_, body := harness.Get(n.t, "http://"+n.admin+"/api/v1/conditions")
	var out struct{ Conditions []condition }
	if err := json.Unmarshal(body, &out); err != nil {
		n.t.Fatalf("%v in %s", err, body)
	}
	return out.Conditions
}

// sees waits for a condition that says a text, and checks how an operator meets
// it: with the table's cause and remedy on the API, in tutti_cli, in one warning of
// the log, and in tutti help.
func (n *node) sees(code fault.Code, text string) {
	n.t.Helper()
	row, known := fault.Lookup(code)
	if !known {
		n.t.Fatalf("%s is in no table", code)
	}
	var found condition
	n.Wait(string(code)+" with "+text, 90*time.Second, func() bool {
		for _, c := range n.conditions() {
			if c.Code == string(code) && strings.Contains(c.Detail, text) {
				found = c
				return true
			}
		}
		return false
	})
	if found.Remedy != row.Remedy || found.Cause != row.Cause {
		n.t.Errorf("%s comes with %+v", code, found)
	}
	if out, _ := n.cli("conditions"); !strings.Contains(out, string(code)) ||
		!strings.Contains(squeeze(out), squeeze(row.Remedy)) {
		n.t.Errorf("tutti_cli conditions says of %s\n%s", code, out)
	}
	n.Wait("the log to say "+string(code), 10*time.Second, func() bool {
		for line := range strings.Lines(n.Log()) {
			if strings.HasPrefix(line, "W") && strings.Contains(line, string(code)) && strings.Contains(line, "remedy=") {
				return true
			}
		}
		return false
	})
	if out, status := harness.Output(n.t, filepath.Join(bin, "tutti"), "help", string(code)); status != 0 ||
		!strings.Contains(squeeze(out), squeeze(row.Remedy)) {
		n.t.Errorf("tutti help %s ends with %d:\n%s", code, status, out)
	}
	n.serves()
}

// squeeze makes texts comparable that were broken into lines or are marked up.
func squeeze(s string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(s, "`", "")), " ")
}

// loses waits until a condition is gone.
func (n *node) loses(code fault.Code) {
	n.t.Helper()
	n.Wait(string(code)+" to go", 90*time.Second, func() bool {
		for _, c := range n.conditions() {
			if c.Code == string(code) {
				return false
			}
		}
		return true
	})
}

// serves checks that gateways are answered all the same.
func (n *node) serves() {
	n.t.Helper()
	if status, body := harness.Get(n.t, "https://"+n.service+"/status"); status != 200 ||
		!strings.Contains(string(body), `"state": "serving"`) {
		n.t.Errorf("/status answers %d %s", status, body)
	}
}

// waitStatus waits until what the node reports of the chain satisfies a test.
func (n *node) waitStatus(what string, holds func(status map[string]any) bool) {
	n.t.Helper()
	var last []byte
	n.Wait(what, 90*time.Second, func() bool {
		var page struct{ Chain map[string]any }
		_, last = harness.Get(n.t, "https://"+n.service+"/status")
		return json.Unmarshal(last, &page) == nil && page.Chain != nil && holds(page.Chain)
	})
}

// register has the node become an orchestrator by tutti_cli.
func (n *node) register(tokens string) {
	n.t.Helper()
	var out string
	ctx, cancel := context.WithTimeout(n.t.Context(), time.Minute)
	defer cancel()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		var status int
		out, status = n.cli("orchestrator", "activate", "--reward-cut", "10", "--fee-cut", "95", "--stake", tokens,
			"--service-uri", "https://"+n.service, "--price-per-unit", "1200", "--yes")
		if status == 0 {
			return
		}
		select {
		case <-ctx.Done():
			n.t.Fatalf("tutti_cli orchestrator activate:\n%s", out)
		case <-tick.C:
		}
	}
}

// form posts a form to one of the old routes.
func (n *node) form(path, values string) (int, string) {
	n.t.Helper()
	resp, err := http.Post("http://"+n.admin+path, "application/x-www-form-urlencoded", strings.NewReader(values))
	if err != nil {
		n.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<16))
	if err != nil {
		n.t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}
