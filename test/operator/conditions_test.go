package operator

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/devnet/control"
	"github.com/tuttinode/tutti/test/harness"
)

// secret is what an endpoint's URL must never show.
const secret = "s3cr3tKEY"

// guarded are the devnet's URLs with a key in the path, as providers have them.
func guarded(chain *devnet.Chain) string { return chain.URL(0) + "/v2/" + secret }

func (n *node) quiet() {
	n.t.Helper()
	if strings.Contains(n.Log(), secret) {
		n.t.Error("the log shows the endpoint's key")
	}
	if out, _ := n.cli("status"); strings.Contains(out, secret) {
		n.t.Errorf("tutti_cli status shows the endpoint's key:\n%s", out)
	}
}

// Trouble with the endpoint, while the node starts and while it runs: the row of
// "connection refused, context deadline exceeded, could not retrieve chain ID".
func TestEndpointTrouble(t *testing.T) {
	for _, c := range []struct {
		name  string
		fault control.Fault
		code  fault.Code
		text  string
	}{
		{"connection refused", control.Fault{Kind: control.Stop}, fault.ChainUnavailable,
			"could not retrieve chain ID: connection refused"},
		{"no answer", control.Fault{Kind: control.Hang}, fault.ChainUnavailable, "context deadline exceeded"},
		{"rate limit", control.Fault{Kind: control.HTTP429}, fault.ChainUnavailable, "429"},
		{"limit exceeded", control.Fault{Kind: control.LimitExceeded}, fault.ChainUnavailable, "limit exceeded"},
		{"provider down", control.Fault{Kind: control.HTTP500}, fault.ChainUnavailable, "HTTP 500"},
		{"a page instead", control.Fault{Kind: control.HTML502}, fault.ChainUnavailable, "HTTP 502"},
		{"half an answer", control.Fault{Kind: control.HalfJSON}, fault.ChainUnavailable, ""},
		{"layer 1", control.Fault{Kind: control.WrongChain, ChainID: 1}, fault.RPCLayerOne, ""},
		{"another chain", control.Fault{Kind: control.WrongChain, ChainID: 10}, fault.RPCWrongChain, "10"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			chain := devnet.Start(t, devnet.Options{BlockTime: 250 * time.Millisecond})
			w := newWallet(t)
			chain.SetFaults(0, c.fault)
			n := start(t, w, guarded(chain))
			n.sees(c.code, c.text)
			chain.SetFaults(0, control.Fault{Kind: control.None})
			n.loses(c.code)
			n.loses(fault.ChainUnavailable)
			n.waitStatus("the chain to be known", func(s map[string]any) bool { return s["stale"] == false })
			n.quiet()
			if c.fault.Kind == control.WrongChain {
				return // an endpoint gets a request for its chain when it is connected to, not every second
			}
			chain.SetFaults(0, c.fault)
			n.sees(c.code, strings.TrimPrefix(c.text, "could not retrieve chain ID: "))
		})
	}
}

func TestKeyRefused(t *testing.T) {
	t.Parallel()
	for status, name := range map[int]string{401: "unknown", 403: "expired"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
				_ *http.Request) {
				w.WriteHeader(status)
			}))
			defer provider.Close()
			n := start(t, newWallet(t), provider.URL+"/v2/"+secret)
			n.sees(fault.RPCKeyRefused, "")
			n.quiet()
		})
	}
}

// One endpoint of three is enough, whatever the others do, once two have agreed where
// the contracts are.
func TestOneEndpointIsEnough(t *testing.T) {
	t.Parallel()
	chain := devnet.Start(t, devnet.Options{Endpoints: 3, BlockTime: 250 * time.Millisecond})
	w := newWallet(t)
	w.fund(t, chain, "1", "10")
	urls := chain.URL(0) + "," + chain.URL(1) + "," + chain.URL(2)
	first := start(t, w, urls)
	first.waitStatus("the chain to be known", func(s map[string]any) bool { return s["stale"] == false })
	first.Signal(syscall.SIGTERM)
	first.Exit(10 * time.Second)
	chain.SetFaults(0, control.Fault{Kind: control.Hang})
	chain.SetFaults(1, control.Fault{Kind: control.WrongChain, ChainID: 1})
	n := start(t, w, urls)
	n.sees(fault.RPCLayerOne, "")
	n.register("10")
}

// An active orchestrator that cannot pay for gas misses its reward, and says so; with
// money it calls at once. The row of "no reward calls".
func TestNoGasMoney(t *testing.T) {
	t.Parallel()
	chain := devnet.Start(t, devnet.Options{BlockTime: 250 * time.Millisecond})
	w := newWallet(t)
	w.fund(t, chain, "1", "1000")
	n := start(t, w, chain.URL(0))
	n.register("1000")
	highFee, err := core.ParseWei("1e14")
	if err != nil {
		t.Fatal(err)
	}
	if err := chain.Control.SetBaseFee(t.Context(), highFee); err != nil {
		t.Fatal(err)
	}
	if _, err := chain.Control.NextRound(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	n.sees(fault.RewardFailing, "missing")
	n.sees(fault.GasMoneyMissing, w.address.String())
	w.fund(t, chain, "1000", "1")
	n.loses(fault.GasMoneyMissing)
	n.loses(fault.RewardFailing)
	n.waitStatus("the reward", func(s map[string]any) bool { return s["reward"] == "done" && s["state"] == "active" })
}

// A process whose account is not the orchestrator's must learn that it cannot
// call reward; with -reward=false it is quiet.
func TestRewardFromTheWrongProcess(t *testing.T) {
	t.Parallel()
	chain := devnet.Start(t, devnet.Options{BlockTime: 250 * time.Millisecond})
	owner := newWallet(t)
	owner.fund(t, chain, "1", "1000")
	first := start(t, owner, chain.URL(0), "-reward=false")
	first.register("1000")
	if _, err := chain.Control.NextRound(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	hot := newWallet(t)
	hot.fund(t, chain, "1", "1")
	n := start(t, hot, chain.URL(0), "-reward", "-ethOrchAddr", owner.address.String())
	n.sees(fault.RewardNotAllowed, hot.address.String())
	// The orchestrator names it, and it calls.
	if out, status := first.cli("orchestrator", "reward-caller", hot.address.String(), "--yes"); status != 0 {
		t.Fatalf("%d %s", status, out)
	}
	n.loses(fault.RewardNotAllowed)
	n.waitStatus("the reward", func(s map[string]any) bool { return s["reward"] == "done" })
	if out, _ := first.cli("reward", "status"); !strings.Contains(out, "off") {
		t.Errorf("the first process is to leave rewards alone:\n%s", out)
	}
}

// The registered address is not where the machine is seen.
func TestServiceAddressMismatch(t *testing.T) {
	t.Parallel()
	chain := devnet.Start(t, devnet.Options{BlockTime: 250 * time.Millisecond})
	w := newWallet(t)
	w.fund(t, chain, "1", "10")
	first := start(t, w, chain.URL(0))
	first.register("10")
	first.Signal(15)
	first.Exit(40 * time.Second)

	lookup := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		_,
			_ = rw.Write([]byte("198.51.100.7"))
	}))
	defer lookup.Close()
	n := &node{t: t, wallet: w, service: first.service, admin: harness.Address(t)}
	n.Process = harness.Start(t, filepath.Join(bin, "tutti"), "-orchestrator", "-transcoder", "-pricePerUnit", "0",
		"-network", "devnet", "-ethUrl", chain.URL(0),
		"-ethPassword", w.pass, "-dataDir", w.dir, "-cliAddr", n.admin, "-httpAddr", n.service, "-publicIPLookup",
		lookup.URL, "-blockPollingInterval", "1s")
	n.WaitHTTP("http://" + n.admin + "/healthz")
	n.sees(fault.ServiceAddrMismatch, "did not match discovered address https://198.51.100.7")
	// What is registered is advertised, and the operator corrects it.
	if _, body := harness.Get(t, "https://"+n.service+"/status"); !strings.Contains(string(body),
		`"service_uri": "https://`+n.service) {
		t.Errorf("/status says %s", body)
	}
	_, port, err := net.SplitHostPort(n.service)
	if err != nil {
		t.Fatal(err)
	}
	if out, status := n.cli("orchestrator", "service-uri", "https://198.51.100.7:"+port, "--yes",
		"--allow-unusual"); status != 0 {
		t.Fatalf("%d %s", status, out)
	}
	n.loses(fault.ServiceAddrMismatch)
}

// No peer can connect to the advertised address: the row of "port 8935 closed".
func TestPortClosed(t *testing.T) {
	t.Parallel()
	chain := devnet.Start(t, devnet.Options{BlockTime: 250 * time.Millisecond})
	w := newWallet(t)
	n := &node{t: t, wallet: w, service: harness.Address(t), admin: harness.Address(t)}
	n.Process = harness.Start(t, filepath.Join(bin, "tutti"), "-orchestrator", "-transcoder", "-pricePerUnit", "0",
		"-network", "devnet", "-ethUrl", chain.URL(0),
		"-ethPassword", w.pass, "-dataDir", w.dir, "-cliAddr", n.admin, "-httpAddr", n.service, "-serviceAddr",
		harness.Address(t))
	n.WaitHTTP("http://" + n.admin + "/healthz")
	n.sees(fault.PortClosed, "https://127.0.0.1:")
}

// What keeps a node from starting says so in one line with code and remedy, and
// never ends with status 0.
func TestDoesNotStart(t *testing.T) {
	t.Parallel()
	w, two := newWallet(t), newWallet(t)
	text, err := os.ReadFile(only(t, filepath.Join(newWallet(t).dir, "keystore")))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(two.dir, "keystore", "second"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	open := newWallet(t)
	if err := os.Chmod(only(t, filepath.Join(open.dir, "keystore")), 0o644); err != nil {
		t.Fatal(err)
	}
	wrong := filepath.Join(t.TempDir(), "wrong")
	if err := os.WriteFile(wrong, []byte("wrong"), 0o600); err != nil {
		t.Fatal(err)
	}
	devnetArgs := func(w wallet, pass string) []string {
		return []string{"-orchestrator", "-transcoder", "-network", "devnet", "-ethUrl", "http://127.0.0.1:1",
			"-ethPassword", pass, "-dataDir", w.dir, "-serviceAddr", "127.0.0.1:0", "-pricePerUnit", "0"}
	}
	for _, c := range []struct {
		name   string
		args   []string
		code   fault.Code
		status int
	}{
		{"wrong passphrase", devnetArgs(w, wrong), fault.AccountPassword, 1},
		{"several accounts", devnetArgs(two, two.pass), fault.AccountAmbiguous, 1},
		{"another account", append(devnetArgs(w, w.pass), "-ethAcctAddr", "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf"),
			fault.AccountUnknown, 1},
		{"key that others read", devnetArgs(open, open.pass), fault.AccountFileOpen, 1},
		{"wallet on a transcoder",
			[]string{"-transcoder", "-orchAddr", "127.0.0.1:8935", "-network", "devnet", "-ethUrl", "http://127.0.0.1:1"},
			fault.WalletOnWorker, 2},
		{"no endpoint", []string{"-orchestrator", "-transcoder", "-network", "arbitrum-one-mainnet", "-serviceAddr",
			"127.0.0.1:0", "-pricePerUnit", "0"}, fault.MissingOption, 2},
		{"no price", []string{"-orchestrator", "-transcoder", "-network", "devnet", "-serviceAddr", "127.0.0.1:0"},
			fault.MissingOption, 2},
		{"a price of an ETH a pixel", append(devnetArgs(w, w.pass), "-pricePerUnit", "1000000000000000000"), fault.BadOption,
			2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"-cliAddr", harness.Address(t), "-httpAddr", harness.Address(t)}, c.args...)
			out, status := harness.Output(t, filepath.Join(bin, "tutti"), args...)
			if status != c.status || !strings.Contains(out, string(c.code)) {
				t.Errorf("it ends with %d:\n%s", status, out)
			}
			if row, _ := fault.Lookup(c.code); c.status == 1 && !strings.Contains(out, row.Remedy) {
				t.Errorf("no remedy in\n%s", out)
			}
		})
	}
}

// only is the one file of a directory.
func only(t *testing.T, dir string) string {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Fatalf("%d files in %s: %v", len(files), dir, err)
	}
	return filepath.Join(dir, files[0].Name())
}

// A price in whole ETH, the row of "few or no jobs, no errors": neither program
// takes it for a price in wei.
func TestPriceInWholeUnits(t *testing.T) {
	t.Parallel()
	out, status := harness.Output(t, filepath.Join(bin, "tutti"), "-orchestrator", "-transcoder", "-serviceAddr",
		"127.0.0.1:0", "-pricePerUnit", "0.5")
	if status != 2 || !strings.Contains(out, string(fault.PriceImplausible)) || !strings.Contains(out, "wei") {
		t.Errorf("tutti -pricePerUnit 0.5 ends with %d:\n%s", status, out)
	}
	chain := devnet.Start(t, devnet.Options{})
	n := start(t, newWallet(t), chain.URL(0))
	for _, price := range []string{"0.5", "1000000000000000000"} {
		if out, status := n.cli("price", "set", "--price-per-unit", price, "--yes"); status == 0 ||
			!strings.Contains(out, "Remedy") {
			t.Errorf("a price of %s ends with %d:\n%s", price, status, out)
		}
	}
}

// The node is killed in the middle of a round and of a transaction; after the
// start it goes on where the round stands, and calls reward once.
func TestKilledInMidRound(t *testing.T) {
	t.Parallel()
	chain := devnet.Start(t, devnet.Options{BlockTime: 250 * time.Millisecond})
	w := newWallet(t)
	w.fund(t, chain, "1", "1000")
	n := start(t, w, chain.URL(0))
	n.register("1000")
	n.Signal(9)
	n.Exit(10 * time.Second)
	if _, err := chain.Control.NextRound(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	chain.SetFaults(0, control.Fault{Kind: control.Reset, Methods: []string{"send"}, Times: 1})
	again := start(t, w, chain.URL(0))
	again.waitStatus("the reward", func(s map[string]any) bool { return s["reward"] == "done" })
	again.Signal(9)
	again.Exit(10 * time.Second)
	last := start(t, w, chain.URL(0))
	last.waitStatus("the reward", func(s map[string]any) bool {
		return s["reward"] == "done" && s["last_reward_round"] == s["round"].(map[string]any)["number"]
	})
	if out, _ := last.cli("transactions"); strings.Count(out, "call reward") != 1 {
		t.Errorf("reward was called more than once:\n%s", out)
	}
}
