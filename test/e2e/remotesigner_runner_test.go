package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/harness"
)

// payingClient is an application without a key: it reserves a session of a live runner, has each payment signed, and
// uses the session meanwhile. Arguments: the orchestrator, the signer, how many further payments.
const payingClient = `
import base64, json, ssl, sys, time, urllib.error, urllib.request
orch, signer, more = sys.argv[1], sys.argv[2], int(sys.argv[3])
tls = ssl._create_unverified_context()
def call(url, data=b"", headers={}, method="POST"):
    r = urllib.request.Request(url, data=data if method == "POST" else None, headers=headers, method=method)
    try:
        with urllib.request.urlopen(r, context=tls if url.startswith("https") else None, timeout=20) as f:
            return f.status, f.read()
    except urllib.error.HTTPError as e:
        return e.code, e.read()
who = json.loads(call(signer + "/sign-orchestrator-info")[1])["address"]
for _ in range(60):
    code, text = call(orch + "/apps/studio/session", headers={"Livepeer-Payer-Address": who})
    if code == 402: break
    time.sleep(1)
assert code == 402, (code, text)
offer = json.loads(text)
params, state = offer["payment_params"], None
def pay(url):
    global params, state
    ask = {"orchestrator": params, "ManifestID": offer["manifest_id"], "type": "live"}
    if state: ask["state"] = state
    code, text = call(signer + "/generate-live-payment", json.dumps(ask).encode(), {"Content-Type": "application/json"})
    if code == 482: return 200, b""  # what was paid is enough
    assert code == 200, (code, text)
    signed = json.loads(text)
    state = signed["state"]
    return call(url, headers={"Livepeer-Payment": signed["payment"], "Livepeer-Segment": signed["segCreds"]})
for _ in range(60):
    code, text = pay(orch + "/apps/studio/session")
    if code == 200: break
    state = None
    time.sleep(1)
    offer = json.loads(call(orch + "/apps/studio/session", headers={"Livepeer-Payer-Address": who})[1])
    params = offer["payment_params"]
assert code == 200, (code, text)
app = json.loads(text)["app_url"]
for i in range(more):
    code, text = call(app + "/hello", method="GET")
    assert (code, text) == (200, b"/hello"), (code, text)
    time.sleep(2)
    code, text = pay(offer["payment_url"])
    assert code == 200, (code, text)
print(call(app[:-4] + "/stop")[0])
`

// TestALiveRunnerIsPaidThroughARemoteSigner: an application with stock libraries alone pays for a session of a runner
// that is priced in dollars; the signer's books and the orchestrator's agree to the wei.
func TestALiveRunnerIsPaidThroughARemoteSigner(t *testing.T) {
	cli, err := harness.BuildTool(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.URL.Path)
	}))
	t.Cleanup(app.Close)
	runners, script := filepath.Join(t.TempDir(), "runners.json"), filepath.Join(t.TempDir(), "client.py")
	if err := os.WriteFile(runners, fmt.Appendf(nil, `{"runners":[{"label":"studio","routing":"label","app":"demo/echo",
		"price_info":{"price":1.5},"runner_url":%q,"health_url":"/health"}]}`, app.URL), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(script, []byte(payingClient), 0o600); err != nil {
		t.Fatal(err)
	}
	const l1 = 250 * time.Millisecond
	chain := devnet.Start(t, devnet.Options{BlockTime: l1, L1BlockTime: time.Second, RoundLength: 900,
		Args: []string{"-initializeRounds"}})
	orchestrator := newMember(t, chain, cli, "-orchestrator", "-liveRunnerConfig", runners, "-pricePerUnit", "9000",
		"-livePaymentInterval", "1s", "-ticketEV", "100000000000")
	orchestrator.args = append(orchestrator.args, "-serviceAddr", orchestrator.front)
	signer := newMember(t, chain, cli, "-remoteSigner")
	if err := chain.Control.FundLPT(t.Context(), common.Address(orchestrator.account), core.LPTTokens(1000)); err != nil {
		t.Fatal(err)
	}
	for _, m := range []*member{orchestrator, signer} {
		m.start()
	}
	orchestrator.run("orchestrator", "activate", "--reward-cut", "10", "--fee-cut", "95", "--stake", "1000",
		"--service-uri", "https://"+orchestrator.front, "--price-per-unit", "9000")
	signer.run("deposit", "fund", "--deposit", "1ETH", "--reserve", "2ETH")
	if _, err := chain.Control.NextRound(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	// A payment that is refused is in the signer's books and not in the orchestrator's.
	orchestrator.awaitActive()
	out, err := exec.CommandContext(t.Context(), "python3", script, "https://"+orchestrator.front,
		"http://"+signer.front, "4").CombinedOutput()
	if err != nil || string(out) != "204\n" {
		t.Fatalf("%v\n%s", err, out)
	}
	signed := fetched[adminapi.Spending](t, signer.admin, adminapi.PathSpending)
	orchestrator.Wait("books that agree to the wei", 20*time.Second, func() bool {
		got := fetched[adminapi.Income](t, orchestrator.admin, adminapi.PathIncome).Total
		return got.Received == signed.Value && got.Billed != "0" && !wei(t, got.Received, got.Billed).IsZero()
	})
}
