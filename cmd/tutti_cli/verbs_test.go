package main

import (
	"strings"
	"testing"

	"github.com/tuttinode/tutti/cmd/tutti_cli/action"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
)

// bonded gives the fake's account stake, an unbonding lock and rewards.
func bonded(f *fakeNode) {
	f.delegator = adminapi.Delegator{Address: self, Bonded: core.LPTTokens(100), PendingStake: core.LPTTokens(120),
		PendingFees: core.NewWei(5), Delegate: &self, Status: "Bonded", LastClaimRound: 6}
	f.orchestrator = f.pool[0]
	f.orchestrator.Address = self
	f.locks = []adminapi.UnbondingLock{{ID: 3, Amount: core.LPTTokens(7), WithdrawRound: 6, Withdrawable: true},
		{ID: 4, Amount: core.NewLPT(9), WithdrawRound: 11}}
	f.conditions = []adminapi.Condition{
		{Code: "PortClosed", Detail: "no answer on 8935", Since: fakeNow, Remedy: "Open the port."},
		{Code: "ServiceAddrMismatch", About: "8935", Since: fakeNow, HiddenBy: "PortClosed"},
	}
}

// verbRow is a verb as a script uses it, and what it asks the node for.
type verbRow struct {
	name, args string
	// asks is the end of the request to the node, "" for nothing.
	asks string
}

var verbRows = []verbRow{
	{"status", "status", ""},
	{"parameters", "parameters", ""},
	{"orchestrators", "orchestrators", ""},
	{"node", "node", ""},
	{"round", "round", ""},
	{"conditions", "conditions", ""},
	{"transactions", "transactions", ""},
	{"stake locks", "stake locks", ""},
	{"stake status", "stake status", ""},
	{"deposit status", "deposit status", ""},
	{"reward status", "reward status", ""},
	{"gas show", "gas show", ""},
	{"token request-ether", "token request-ether", ""},
	{"round initialize", "round initialize --yes", `actions/initialize-round?wait=submitted {}`},
	{"stake bond", "stake bond --to 0x0000000000000000000000000000000000000002 --amount 0.5 --yes",
		`actions/bond?wait=submitted {"amount":"500000000000000000","to":"0x0000000000000000000000000000000000000002"}`},
	{"stake unbond", "stake unbond --all --yes", `actions/unbond?wait=submitted {"amount":"120000000000000000000"}`},
	{"stake rebond", "stake rebond 3 --yes", `actions/rebond?wait=submitted {"lock":3}`},
	{"stake withdraw", "stake withdraw --lock 3 --yes", `actions/withdraw-stake?wait=submitted {"lock":3}`},
	{"stake claim", "stake claim --yes", `actions/claim-earnings?wait=submitted {}`},
	{"fees withdraw", "fees withdraw --yes", `actions/withdraw-fees?wait=submitted {}`},
	{"token transfer", "token transfer --to 0x0000000000000000000000000000000000000003 --amount 2LPTU --yes",
		`actions/transfer-tokens?wait=submitted {"amount":"2","to":"0x0000000000000000000000000000000000000003"}`},
	{"token request", "token request --yes", `actions/request-tokens?wait=submitted {}`},
	{"reward call", "reward call --yes", `actions/reward?wait=submitted {}`},
	{"orchestrator activate", "orchestrator activate --reward-cut 12 --fee-cut 5 --price-per-unit 1200 --service-uri " +
		"https://node.example.com:8935 --stake 1000 --yes",
		`{"rewardCut":120000,"feeCut":50000,"serviceURI":"https://node.example.com:8935","stake":"1000000000000000000000",` +
			`"pricePerUnit":"1200","pixelsPerUnit":1}`},
	{"orchestrator config", "orchestrator config --reward-cut 20 --fee-cut 5 --yes",
		`config?step=next {"rewardCut":200000,"feeCut":50000}`},
	{"orchestrator service-uri", "orchestrator service-uri https://other.example.com:8935 --yes",
		`actions/set-service-uri?wait=submitted {"uri":"https://other.example.com:8935"}`},
	{"orchestrator reward-caller", "orchestrator reward-caller none --yes",
		`actions/set-reward-caller?wait=submitted {"caller":"0x0000000000000000000000000000000000000000"}`},
	{"deposit fund", "deposit fund --deposit 0.1ETH --reserve 5gwei --yes",
		`actions/fund-deposit-and-reserve?wait=submitted {"deposit":"100000000000000000","reserve":"5000000000"}`},
	{"deposit unlock", "deposit unlock --yes", `actions/unlock?wait=submitted {}`},
	{"deposit cancel-unlock", "deposit cancel-unlock --yes", `actions/cancel-unlock?wait=submitted {}`},
	{"deposit withdraw", "deposit withdraw --yes", `actions/withdraw-funds?wait=submitted {}`},
	{"gas set", "gas set --min 0 --max 0.5gwei --yes", `gas {"min":"0","max":"500000000"}`},
	{"gas max", "gas max 1000000000 --yes", `gas {"max":"1000000000"}`},
	{"gas min", "gas min 0.1gwei --yes", `gas {"min":"100000000"}`},
	{"vote poll", "vote poll 0x0000000000000000000000000000000000000002 --choice no --yes",
		`actions/vote-in-poll?wait=submitted {"poll":"0x0000000000000000000000000000000000000002","choice":1}`},
	{"vote proposal", "vote proposal 123 --support for --reason because --yes",
		`actions/vote-on-proposal?wait=submitted {"proposal":"123","support":1,"reason":"because"}`},
	{"sessions set", "sessions set 7 --yes", `settings {"maxSessions":7}`},
	{"price set", "price set --price-per-unit 0.5USD --pixels-per-unit 1000000 --yes",
		`config?step=next {"pricePerUnit":"0.5","pixelsPerUnit":1000000,"currency":"USD"}`},
	{"price gateway", "price gateway default --price-per-unit 1200 --yes",
		`/setPriceForBroadcaster broadcasterEthAddr=default&currency=Wei&pixelsPerUnit=1&pricePerUnit=1200`},
	{"ticket max-face-value", "ticket max-face-value 0.01ETH --yes", `/setMaxFaceValue maxfacevalue=10000000000000000`},
	{"broadcast config", "broadcast config --max-price 0 --profiles P240p30fps16x9,P360p30fps16x9 --yes",
		`/setBroadcastConfig currency=Wei&maxPricePerUnit=0&pixelsPerUnit=1&` +
			`transcodingOptions=P240p30fps16x9%2CP360p30fps16x9`},
	{"broadcast max-price", "broadcast max-price --pipeline llm --max-price 0.1USD --yes",
		`/setMaxPriceForCapability currency=USD&maxPricePerUnit=0.1&modelID=default&pipeline=llm&pixelsPerUnit=1`},
	{"sign message", "sign message hello", `sign {"message":"hello"}`},
	{"sign typed-data", `sign typed-data {"types":{}} --yes`, `sign {"typedData":{"types":{}}}`},
	{"workers", "workers", ""},
	{"models list", "models list", ""},
	{"models warm", "models warm org/model --yes", `models/state {"model":"org/model","warm":true}`},
	{"models cool", "models cool org/model --pipeline llm --yes",
		`models/state {"pipeline":"llm","model":"org/model","warm":false}`},
	{"models test", "models test org/model --yes", `models/test {"model":"org/model"}`},
	{"models pull", "models pull org/model --yes", `models/pull {"model":"org/model"}`},
	{"worker drain", "worker drain rig7 --yes", `workers/state {"name":"rig7","drain":true}`},
	{"worker resume", "worker resume rig7 --yes", `workers/state {"name":"rig7","drain":false}`},
	{"runners list", "runners list", ""},
	{"runners check", "runners check studio", `runners/check {"name":"studio"}`},
	{"runners drain", "runners drain studio --yes", `runners/state {"name":"studio","drain":true}`},
	{"runners resume", "runners resume studio --yes", `runners/state {"name":"studio","drain":false}`},
	{"capabilities list", "capabilities list", ""},
	{"capabilities remove", "capabilities remove upscale --yes", `capabilities/remove {"name":"upscale"}`},
	{"reload", "reload --yes", `reload null`},
	{"drain", "drain --deadline 5m --stop --yes", `drain {"deadlineSeconds":300,"stop":true}`},
	{"upgrade", "upgrade --yes", `upgrade null`},
	{"tickets list", "tickets list", ""},
	{"tickets show", "tickets show 0x0000000000000000000000000000000000000000000000000000000000000005", ""},
	{"tickets retry", "tickets retry 0x0000000000000000000000000000000000000000000000000000000000000005 --yes",
		`tickets/0x0000000000000000000000000000000000000000000000000000000000000005/retry {}`},
	{"tickets export", "tickets export", ""},
	{"contracts show", "contracts show", ""},
	{"contracts confirm", "contracts confirm --yes",
		`contracts/confirm {"contracts":[{"name":"TicketBroker","address":"0x0000000000000000000000000000000000000007"}]}`},
	{"income", "income --by round,model,worker", ""},
	{"income workers", "income workers", ""},
	{"spending", "spending", ""},
	{"spending credits", "spending credits", ""},
	{"spending forgive", "spending forgive https://o.example:8935 --yes",
		`spending/credits/forgive {"orchestrator":"https://o.example:8935"}`},
	{"price list", "price list", ""},
	{"gateways", "gateways", ""},
	{"help", "help WaitTimedOut", ""},
	{"completion", "completion fish", ""},
	{"version", "version", ""},
	{"account list", "account list --keystore none", ""},
}

func TestVerbs(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{"schema": true, "account create": true, "account import": true}
	for _, row := range verbRows {
		seen[row.name] = true
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			for _, mode := range []string{"text", "json"} {
				o := newTool(t)
				if row.name != "orchestrator activate" {
					bonded(o.node)
				}
				args := strings.Fields(row.args)
				if mode == "json" {
					valid(t, row.name, o.ok(append(args, "--json")...))
				} else {
					out := o.ok(args...)
					if row.name != "completion" { // cobra writes it
						golden(t, row.name, out)
					}
				}
				if asked := o.node.requests(); !strings.HasSuffix(asked, row.asks) || (row.asks == "") != (asked == "") {
					t.Errorf("asked for\n%s\nwant at the end\n%s", asked, row.asks)
				}
			}
		})
	}
	for _, v := range action.Table() {
		if !seen[v.Name] {
			t.Errorf("%s has no row", v.Name)
		}
	}
}

// Every change can be looked at, and none happens without a yes.
func TestEveryChangeAsks(t *testing.T) {
	t.Parallel()
	changing := map[string]bool{}
	for _, v := range action.Table() {
		changing[v.Name] = v.Changes
	}
	for _, row := range verbRows {
		if !changing[row.name] {
			continue
		}
		o := newTool(t)
		bonded(o.node)
		without := strings.Fields(strings.TrimSuffix(row.args, " --yes"))
		o.refused(exitUsage, "ConfirmationMissing", without...)
		if row.name != "sign typed-data" {
			valid(t, row.name, o.ok(append(without, "--dry-run", "--json")...))
			if out := o.ok(append(without, "--dry-run")...); !strings.Contains(out, "Would do  "+row.name) {
				t.Errorf("the dry run does not say what would be done:\n%s", out)
			}
		}
		status, out, _ := o.run(append(without, "--json")...)
		valid(t, "error", out)
		if asked := o.node.requests(); status != exitUsage || asked != "" {
			t.Errorf("%s: status %d, asked for %s", row.name, status, asked)
		}
	}
}
