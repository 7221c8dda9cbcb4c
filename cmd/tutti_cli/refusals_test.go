package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/protocol"
)

// What is refused, with its status and its words; no request goes to the node.
func TestRefusals(t *testing.T) {
	t.Parallel()
	const to = "--to 0x0000000000000000000000000000000000000002 "
	tests := []struct {
		args   string
		status int
		says   string
	}{
		{"", exitUsage, "a verb is missing"},
		{"dance", exitUsage, `there is no verb "dance"; tutti_cli help lists them all`},
		{"stake dance", exitUsage, "there are stake bond, stake unbond"},
		{"stats", exitUsage, "did you mean status?"},
		{"stake bnd", exitUsage, "did you mean stake bond?"},
		{"help stauts", exitUsage, "did you mean status?"},
		{"ticket list", exitUsage, "did you mean tickets list?"},
		{"status more", exitUsage, "“more” was not expected"},
		{"status more", exitUsage, "Usage:  tutti_cli status"},
		{"stake bond --nonsense", exitUsage, "Usage:  tutti_cli stake bond --to ADDRESS --amount LPT"},
		{"stake rebond --yes", exitUsage, "Usage:  tutti_cli stake rebond LOCK [options]"},
		{"dance", exitUsage, "Usage:  tutti_cli [options] VERB [words] [options]"},
		{"status --nonsense", exitUsage, "unknown: --nonsense; tutti_cli help status"},
		{"--nonsense status", exitUsage, "unknown: --nonsense"},
		{"status --wait forever", exitUsage, "--wait is submitted, mined or final"},
		{"status --timeout 0s", exitUsage, "--timeout is a time above 0"},
		{"status --http 99999", exitUsage, "--http is a port"},
		{"status --url nonsense", exitUsage, "it must be http://host:port"},
		{"stake bond --amount 1 --yes", exitUsage, "--to ADDRESS is missing"},
		{"stake rebond --yes", exitUsage, "LOCK is missing"},
		{"stake unbond --yes", exitUsage, "give either --amount or --all"},
		{"stake unbond --all --amount 1 --yes", exitUsage, "give either --amount or --all"},
		{"stake unbond --all=7 --yes", exitUsage, "it is a switch"},
		{"stake bond " + to + "--amount 0 --yes", exitUsage, "--amount: the amount is 0"},
		{"stake bond " + to + "--amount 1e18 --yes", exitUsage, "write whole tokens such as 1000"},
		{"stake bond " + to + "--amount 1000000000000000000 --yes", exitRefused,
			"write 1000000000000000000LPTU for 1 LPT (base units)"},
		{"stake bond --to 0 --amount 1 --yes", exitUsage, "--to: not an address"},
		{"token transfer --to 0x00000000000000000000000000000000000000Ab --amount 1 --yes", exitUsage, "checksum"},
		{"orchestrator activate --reward-cut 0.1 --yes", exitRefused, "write 10% for 10 %"},
		{"orchestrator activate --reward-cut 100 --yes", exitRefused, "add --allow-unusual to keep 100 %"},
		{"orchestrator activate --fee-cut 0 --yes", exitRefused, "all fees go to delegators"},
		{"orchestrator activate --price-per-unit 0.5 --yes", exitUsage, "a fraction without a currency"},
		{"orchestrator activate --price-per-unit 1000000000000 --yes", exitRefused, "far above any market price"},
		{"orchestrator activate --price-per-unit 0 --yes", exitRefused, "you work for free"},
		{"orchestrator activate --price-per-unit 5USD --currency EUR --yes", exitUsage, "name one of them"},
		{"orchestrator activate --service-uri http://node.example.com:8935 --yes", exitUsage, "write https://host:port"},
		{"orchestrator activate --service-uri https://127.0.0.1:8935 --yes", exitRefused, "no public address"},
		{"orchestrator config --yes", exitUsage, "give at least one of"},
		{"orchestrator reward-caller 0x0000000000000000000000000000000000000000 --yes", exitUsage,
			"write none to take it back"},
		{"price set --yes", exitUsage, "--price-per-unit PRICE is missing"},
		{"deposit fund --deposit 1 --yes", exitUsage, "the unit is missing: write 0.1ETH"},
		{"deposit fund --yes", exitUsage, "give --deposit, --reserve or both"},
		{"gas set --yes", exitUsage, "give --min, --max or both"},
		{"gas set --min 5gwei --max 1gwei --yes", exitUsage, "--min is above --max"},
		{"gas max 30 --yes", exitRefused, "write 30gwei for 30 gwei"},
		{"gas max 1ETH --yes", exitRefused,
			"1000000000 gwei is more than a thousand times the present price of gas, 0.1 gwei"},
		{"gas set --max 30 --yes", exitRefused, "nothing would be sent until the price falls"},
		{"sessions set none --yes", exitUsage, `must be a number of at least 1, or "auto"`},
		{"vote poll", exitUsage, "ADDRESS is missing"},
		{"vote poll --choice maybe --yes", exitUsage, "ADDRESS is missing"},
		{"vote poll 0x0000000000000000000000000000000000000002 --choice maybe --yes", exitUsage, "it is one of 0 yes, 1 no"},
		{"vote proposal 0x1 --support for --yes", exitUsage, "not a proposal's number"},
		{"sign message", exitUsage, "there is nothing to sign"},
		{"sign message a --file b", exitUsage, "not both"},
		{"sign message --file /nonexistent/file", exitUsage, "--file: open"},
		{"sign typed-data [] --yes", exitUsage, "no JSON object"},
		{"sign typed-data {} --dry-run", exitUsage, "a signature has no dry run"},
		{"broadcast config --yes", exitUsage, "give --max-price, --profiles or both"},
		{"broadcast max-price --pipeline llm --yes", exitUsage, "--max-price PRICE is missing"},
		{"completion tcsh", exitUsage, "it is one of bash, zsh, fish"},
		{"schema nothing", exitUsage, "there is no schema of nothing"},
		{"help nonsense", exitUsage, "there is no verb nonsense"},
		{"help RoundLock", exitUsage, "did you mean RoundLocked"},
		{"account create --keystore x", exitUsage, "give --password-file"},
		{"account import --keystore x", exitUsage, "give --key-file or --private-key-file"},
		{"account list --network ../x", exitUsage, "no name of a network"},
	}
	for _, tt := range tests {
		o := newTool(t)
		o.refused(tt.status, tt.says, strings.Fields(tt.args)...)
		status, out, errs := o.run(append(strings.Fields(tt.args), "--json")...)
		if status != tt.status || errs != "" {
			t.Errorf("%q with --json: status %d, %s", tt.args, status, errs)
		}
		valid(t, "error", out)
		if asked := o.node.requests(); asked != "" {
			t.Errorf("%q asked for %s", tt.args, asked)
		}
	}
}

func TestUnusualValuesCanBeMeant(t *testing.T) {
	t.Parallel()
	o := newTool(t)
	o.ok(strings.Fields("orchestrator config --reward-cut 100 --fee-cut 0 --price-per-unit 0 --yes --allow-unusual")...)
	if asked := o.node.requests(); !strings.Contains(asked,
		`{"rewardCut":1000000,"feeCut":0,"pricePerUnit":"0","pixelsPerUnit":1}`) {
		t.Error(asked)
	}
}

func TestLoopbackIsFineWhereMoneyIsPlay(t *testing.T) {
	t.Parallel()
	o := newTool(t)
	o.node.node.ChainID = 54321
	o.ok(strings.Fields("orchestrator service-uri https://127.0.0.1:8935 --yes")...)
}

// A network of one's own has private addresses, whatever its chain's number is; on the
// public network one can be meant, for gateways in the same private network.
func TestPrivateServiceAddresses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		network string
		chain   uint64
		args    string
		status  int
		says    string
	}{
		{"mynet", 777, "https://10.0.0.1:8935 --yes", exitOK, ""},
		{"mynet", 777, "https://node.lan:8935 --yes", exitOK, ""},
		{"mynet", 777, "https://0.0.0.0:8935 --yes", exitUsage, "0.0.0.0"},
		{"mynet", 42161, "https://10.0.0.1:8935 --yes", exitRefused, "add --allow-unusual to keep https://10.0.0.1:8935"},
		{"arbitrum-one-mainnet", 42161, "https://10.0.0.1:8935 --yes", exitRefused,
			"add --allow-unusual to keep https://10.0.0.1:8935"},
		{"arbitrum-one-mainnet", 42161, "https://10.0.0.1:8935 --yes --allow-unusual", exitOK, ""},
		{"arbitrum-one-mainnet", 42161, "https://node.lan:8935 --yes --allow-unusual", exitOK, ""},
		{"arbitrum-one-mainnet", 42161, "https://-a.lan:8935 --yes --allow-unusual", exitUsage, "-a.lan"},
		{"arbitrum-one-mainnet", 42161, "https://[::]:8935 --yes --allow-unusual", exitUsage, "::"},
	} {
		o := newTool(t)
		o.node.node.Network, o.node.node.ChainID = tt.network, tt.chain
		status, out, errs := o.run(append([]string{"orchestrator", "service-uri"}, strings.Fields(tt.args)...)...)
		if status != tt.status || !strings.Contains(errs, tt.says) {
			t.Errorf("%s, chain %d, %s: %d %s%s", tt.network, tt.chain, tt.args, status, out, errs)
		}
	}
}

func TestOutcomesOfATransaction(t *testing.T) {
	t.Parallel()
	held := func(f *fakeNode) { f.hold = true }
	tests := []struct {
		name    string
		args    string
		prepare func(*fakeNode)
		status  int
		says    string
	}{
		{"submitted", "--wait submitted", held, exitOK, "0000000001"},
		{"timed out", "--timeout 50ms", held, exitTimedOut,
			"transaction 0x0000000000000000000000000000000000000000000000000000000000000001 goes on; it is submitted so far"},
		{"not final", "--wait final --timeout 50ms", func(*fakeNode) {}, exitTimedOut, "it is mined so far"},
		{"failed with a code", "", func(f *fakeNode) { f.fails["initialize-round"] = "RoundAlreadyInitialized (round 7)" },
			exitFailed, "RoundAlreadyInitialized: transaction 0x00"},
		{"failed", "", func(f *fakeNode) { f.fails["initialize-round"] = "out of gas" }, exitFailed,
			"TransactionFailed: transaction 0x00"},
		{"refused", "", func(f *fakeNode) {
			f.refuse["initialize-round"] = adminapi.Error{Code: "SomethingNew", Message: "facts", Remedy: "do that"}
		}, exitFailed, "SomethingNew: facts\n  Remedy: do that"},
	}
	for _, tt := range tests {
		o := newTool(t)
		tt.prepare(o.node)
		status, out, errs := o.run(append(strings.Fields(tt.args), "round", "initialize", "--yes")...)
		if status != tt.status || !strings.Contains(out+errs, tt.says) {
			t.Errorf("%s: status %d\n%s%s", tt.name, status, out, errs)
		}
	}
}

// What holds a transaction back is shown while it is waited for: once it was sent,
// and while the node does not send it.
func TestWhyATransactionWaits(t *testing.T) {
	t.Parallel()
	for _, stall := range []func(){nil, func() {}} {
		o := newTool(t)
		o.node.hold, o.node.stall = true, stall
		o.node.conditions = []adminapi.Condition{{Code: "PortClosed", Detail: "no answer"},
			{Code: "GasPriceAboveMax", Detail: "the base fee is above"}}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		looks := 0
		o.node.onLook = func(txs []adminapi.Transaction) {
			if looks++; looks > 20 {
				cancel()
			}
			if stall != nil && len(txs) > 0 {
				txs[0].Verb = "another"
			}
		}
		status, _, errs := o.runContext(ctx, "round", "initialize", "--yes")
		if status != exitTimedOut || strings.Count(errs, "Waiting: GasPriceAboveMax: the base fee is above.") != 1 ||
			strings.Contains(errs, "PortClosed") {
			t.Errorf("%d %s", status, errs)
		}
	}
}

// A transaction that is sent again has another hash; it is followed by its number.
func TestReplacedTransaction(t *testing.T) {
	t.Parallel()
	o := newTool(t)
	o.node.hold = true
	o.node.onLook = func(txs []adminapi.Transaction) {
		if len(txs) == 0 {
			return
		}
		if txs[0].Replaced == 0 {
			txs[0].Hash, txs[0].Replaced = protocol.TxHash{0: 9}, 1
			return
		}
		txs[0].State = protocol.TxFinal
	}
	status, out, errs := o.run("round", "initialize", "--yes", "--wait", "final")
	if status != exitOK || !strings.Contains(errs, "Sent again with a higher fee: 0x09") ||
		!strings.Contains(out, "final") {
		t.Errorf("%d %s%s", status, out, errs)
	}
}

func TestNodeThatIsNotThere(t *testing.T) {
	t.Parallel()
	o := newTool(t)
	o.node = nil
	o.refused(exitUnreachable, "NodeUnreachable", "--http", "1", "status")
	status, out, _ := o.run("--http", "1", "stake", "bond", "--json", "--yes", "--to",
		"0x0000000000000000000000000000000000000002", "--amount", "1")
	valid(t, "error", out)
	if status != exitUnreachable {
		t.Error(status)
	}
}

func TestTokenOfTheNode(t *testing.T) {
	t.Parallel()
	o := newTool(t)
	o.env = nil
	o.refused(exitFailed, "AdminTokenMissing", "round", "initialize", "--yes")
	dir := filepath.Join(o.home, ".tutti", "arbitrum-one-mainnet")
	path := filepath.Join(dir, adminapi.TokenFile)
	put := func(token string) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(token+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("another")
	o.refused(exitFailed, "AdminTokenRefused", "round", "initialize", "--yes")
	put(fakeToken)
	o.ok("round", "initialize", "--yes")
	o.ok("round", "initialize", "--yes", "--token-file", path)
	o.ok("round", "initialize", "--yes", "--dataDir", dir)
}

// An interruption while a transaction is followed shows its hash.
func TestInterruptedWhileFollowing(t *testing.T) {
	t.Parallel()
	o := newTool(t)
	o.node.hold = true
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o.node.onLook = func(txs []adminapi.Transaction) {
		if len(txs) > 0 {
			cancel()
		}
	}
	status, _, errs := o.runContext(ctx, "round", "initialize", "--yes")
	if status != exitTimedOut || !strings.Contains(errs, "goes on") {
		t.Errorf("%d %s", status, errs)
	}
}

func TestMessageFromAFile(t *testing.T) {
	t.Parallel()
	o := newTool(t)
	path := filepath.Join(t.TempDir(), "message")
	if err := os.WriteFile(path, []byte("two\nlines\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o.ok("sign", "message", "--file", path)
	if asked := o.node.requests(); !strings.HasSuffix(asked, `{"message":"two\nlines"}`) {
		t.Error(asked)
	}
}

// What a part of the status cannot show does not hide the rest.
func TestStatusWithoutAPart(t *testing.T) {
	t.Parallel()
	o := newTool(t)
	o.node.broken = adminapi.PathGas
	out := o.ok("status")
	if !strings.Contains(out, "Not shown: ChainNotReady") || !strings.Contains(out, "LPT balance") {
		t.Error(out)
	}
	valid(t, "status", o.ok("status", "--json"))
	o.node.node.Offchain, o.node.node.Account = true, nil
	valid(t, "status", o.ok("status", "--json"))
	golden(t, "status off-chain", o.ok("status"))
	gatewayStatus := newTool(t)
	gatewayStatus.node.node.Roles = []string{"gateway"}
	valid(t, "status", gatewayStatus.ok("status", "--json"))
	golden(t, "status gateway", gatewayStatus.ok("status", "--accessible"))
}
