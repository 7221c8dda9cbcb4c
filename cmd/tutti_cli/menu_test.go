//go:build linux || darwin

package main

import (
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
)

// menuRow is one way through an entry of the menu: question and answer in turn.
type menuRow struct {
	entry string
	says  []string
	// asks is the end of the request to the node, "" for nothing; shows is seen
	// in the end.
	asks, shows string
	// prepare changes the node first.
	prepare func(f *fakeNode)
}

func gateway(f *fakeNode) {
	f.node.Roles = []string{"gateway"}
	f.sender = adminapi.Sender{Deposit: core.NewWei(5_000_000_000_000_000_000), Status: adminapi.SenderLocked,
		UnlockPeriod: 3}
}

func testnet(f *fakeNode) { f.node.Network, f.node.ChainID = "devnet", 31337 }

func unbonded(f *fakeNode) {
	bonded(f)
	f.delegator.Status = "Unbonded"
}

// send is the question before a transaction.
const send = "Send it? [y/N] > "

var menuRows = []menuRow{
	{"Get node status", nil, "", "LPT balance", nil},
	{"View protocol parameters", nil, "", "Participation rate", nil},
	{"List registered orchestrators", nil, "", "https://second.example.com:8935", nil},
	{`Invoke "initialize round"`, []string{send, "y"}, "initialize-round?wait=submitted {}", "mined", nil},
	{`Invoke "initialize round"`, []string{send, "n"}, "", "ActionDeclined", nil},
	{`Invoke "initialize round"`, nil, "", "RoundAlreadyInitialized", func(f *fakeNode) {
		f.refuse["initialize-round"] = adminapi.Error{Code: "RoundAlreadyInitialized", Message: "round 7",
			Remedy: "None needed."}
	}},
	{`Invoke "bond"`, []string{"Orchestrator (its ID in the list, or its address) > ", "9", "no orchestrator 9", "",
		"list, or its address) > ", "1", "5000 LPT", "", "(whole tokens) > ", "6000", "more than there is", "",
		"(whole tokens) > ", "0.5", send, "yes"},
		`bond?wait=submitted {"amount":"500000000000000000","to":"0x0000000000000000000000000000000000000003"}`, "mined",
		nil},
	{`Invoke "bond"`, []string{"address) > ", "0x0000000000000000000000000000000000000002", "(whole tokens) > ",
		"1000000000000000000", "did you mean base units", "", "Which is meant? > ", "2", send, "y"},
		`bond?wait=submitted {"amount":"1000000000000000000","to":"0x0000000000000000000000000000000000000002"}`, "mined",
		nil},
	{`Invoke "bond"`, []string{"address) > ", "0", "(whole tokens) > ", "5000000000000000000", "Which is meant? > ", "3",
		"(whole tokens) > ", "", "not an amount", "", "(whole tokens) > ", "2", send, ""}, "", "ActionDeclined", nil},
	{`Invoke "unbond"`, []string{"Unbond fully? [y/N] > ", "y", send, "y"},
		`unbond?wait=submitted {"amount":"120000000000000000000"}`, "mined", bonded},
	{`Invoke "unbond"`, []string{"Unbond fully? [y/N] > ", "n", "(whole tokens) > ", "121", "more than there is", "",
		"(whole tokens) > ", "20", send, "y"}, `unbond?wait=submitted {"amount":"20000000000000000000"}`, "mined", bonded},
	{`Invoke "rebond"`, []string{"Unbonding lock > ", "3", send, "y"}, `rebond?wait=submitted {"lock":3}`, "mined",
		bonded},
	{`Invoke "rebond"`, []string{"Unbonding lock > ", "x", "not the number", "", "Unbonding lock > ", "4", "address) > ",
		"0", send, "y"}, `rebond-from-unbonded?wait=submitted {"to":"0x0000000000000000000000000000000000000002","lock":4}`,
		"mined", unbonded},
	{`Invoke "rebond"`, nil, "", "UnbondingLockUnknown", nil},
	{`Invoke "withdraw stake" (LPT)`, []string{"WITHDRAWABLE", "", "Unbonding lock > ", "3", send, "y"},
		`withdraw-stake?wait=submitted {"lock":3}`, "mined", bonded},
	{`Invoke "withdraw stake" (LPT)`, nil, "", "no unbonding lock can be withdrawn", nil},
	{`Invoke "withdraw fees" (ETH)`, []string{send, "y"}, `withdraw-fees?wait=submitted {}`, "mined", nil},
	{`Invoke "transfer" (LPT)`,
		[]string{"Recipient's address > ", "0x12", "not an address", "", "Recipient's address > ",
			"0x0000000000000000000000000000000000000003", "(whole tokens) > ", "1", send, "y"},
		`transfer-tokens?wait=submitted {"amount":"1000000000000000000","to":"0x0000000000000000000000000000000000000003"}`,
		"mined", nil},
	{`Invoke "reward"`, []string{send, "y"}, `reward?wait=submitted {}`, "mined", nil},
	{`Invoke "reward"`, nil, "", "already called in round 7", func(f *fakeNode) { f.reward.LastRewardRound = 7 }},
	{"Set orchestrator config", []string{"(default: 10%) > ", "15", "(default: 5%) > ", "",
		"Pixels per unit (default: 1) > ", "", "Currency (default: Wei) > ", "", "Price per unit (default: 0) > ", "1200",
		"(default: https://node.example.com:8935) > ", "", "Begin? 2 steps", "y", "Send this step? [y/N] > ", "y",
		"Send this step? [y/N] > ", "y"},
		`{"rewardCut":150000,"feeCut":50000,"serviceURI":"https://node.example.com:8935","pricePerUnit":"1200",` +
			`"pixelsPerUnit":1}`, "Price", bonded},
	{"Set reward caller", []string{"or none > ", "0x0000000000000000000000000000000000000003", send, "y"},
		`set-reward-caller?wait=submitted {"caller":"0x0000000000000000000000000000000000000003"}`, "mined", nil},
	{`Invoke "deposit broadcasting funds" (ETH)`, []string{"Deposit in ETH (default: 0) > ", "0.5",
		"Reserve in ETH (default: 0) > ", "100gwei", send, "y"},
		`fund-deposit-and-reserve?wait=submitted {"deposit":"500000000000000000","reserve":"100000000000"}`, "mined",
		gateway},
	{`Invoke "deposit broadcasting funds" (ETH)`, []string{"Deposit in ETH (default: 0) > ", "1",
		"Reserve in ETH (default: 0) > ", "", send, "y"}, `fund-deposit?wait=submitted {"amount":"1000000000000000000"}`,
		"mined", gateway},
	{`Invoke "unlock broadcasting funds"`, []string{"from round 10 on", "", send, "y"}, "unlock?wait=submitted {}",
		"mined", gateway},
	{`Invoke "cancel unlock of broadcasting funds"`, []string{"Deposit", "", send, "y"},
		"cancel-unlock?wait=submitted {}", "mined", gateway},
	{`Invoke "withdraw broadcasting funds"`, []string{"Deposit", "", send, "n"}, "", "ActionDeclined", gateway},
	{"Set broadcast config", []string{"Pixels per unit (default: 1) > ", "", "Currency (default: Wei) > ", "",
		"Maximum price per unit (default: 0) > ", "5", "commas between > ", "a, b", "Change it? [y/N] > ", "y"},
		"/setBroadcastConfig currency=Wei&maxPricePerUnit=5&pixelsPerUnit=1&transcodingOptions=a%2Cb", "set currency",
		gateway},
	{"Set max price per capability", []string{"Pipeline > ", "llm", "Model (default: default) > ", "",
		"Maximum price per unit (default: 0) > ", "3", "Currency (default: Wei) > ", "", "Change it? [y/N] > ", "y"},
		"/setMaxPriceForCapability currency=Wei&maxPricePerUnit=3&modelID=default&pipeline=llm&pixelsPerUnit=1",
		"set currency", gateway},
	{"Set maximum Ethereum gas price", []string{"0 for none > ", "0.5", "not a price of gas", "", "0 for none > ", "30",
		"below the present price of gas, 0.1 gwei", "", "1. keep it: 0.00000003 gwei", "", "2. 30 gwei", "",
		"Which is meant? > ", "2", "Change the bounds? [y/N] > ", "y"}, `gas {"max":"30000000000"}`,
		"Maximum gas price  30 gwei", nil},
	{"Set minimum Ethereum gas price", []string{"0 for none > ", "0", "Change the bounds? [y/N] > ", "y"},
		`gas {"min":"0"}`, "Minimum gas price  none", nil},
	{"Get test LPT", []string{send, "y"}, "request-tokens?wait=submitted {}", "mined", testnet},
	{"Get test ETH", nil, "", "cannot make ETH", testnet},
	{"Sign a message", []string{"The message", "hello\nworld\n."}, `sign {"message":"hello\nworld"}`, "Signature", nil},
	{"Sign typed data", []string{"The document", "{\"types\":\n{}}\n.", "Sign it? [y/N] > ", "y"},
		`sign {"typedData":{"types":{}}}`, "Signature", nil},
	{"Sign typed data", []string{"The document", "{}\n.", "Sign it? [y/N] > ", "n"}, "", "ActionDeclined", nil},
	{"Vote in a governance poll", []string{"Address of the poll > ", "0x0000000000000000000000000000000000000002",
		"(0 yes, 1 no) > ", "2", "it is one of", "", "(0 yes, 1 no) > ", "1", send, "y"},
		`vote-in-poll?wait=submitted {"poll":"0x0000000000000000000000000000000000000002","choice":1}`, "mined", nil},
	{"Vote on a treasury proposal",
		[]string{"Number of the proposal > ", "12", "2 abstain) > ", "2", "Reason, or nothing > ", "", send, "y"},
		`vote-on-proposal?wait=submitted {"proposal":"12","support":2}`, "mined", nil},
	{"Set max ticket face value", []string{"in wei > ", "100", "Change it? [y/N] > ", "y"},
		"/setMaxFaceValue maxfacevalue=100", "set maxfacevalue", nil},
	{"Set price for broadcaster", []string{"(default: default) > ", "", "Pixels per unit (default: 1) > ", "",
		"Currency (default: Wei) > ", "USD", "Price per unit (default: 0) > ", "0.1", "Change it? [y/N] > ", "y"},
		"/setPriceForBroadcaster broadcasterEthAddr=default&currency=USD&pixelsPerUnit=1&pricePerUnit=0.1",
		"set broadcasterEthAddr", nil},
	{"Set maximum sessions", []string{"or auto > ", "0", "must be a number", "", "or auto > ", "auto",
		"Change the limit? [y/N] > ", "y"}, `settings {"maxSessions":"auto"}`, "Maximum sessions  auto", nil},
}

func TestEveryMenuEntry(t *testing.T) {
	t.Parallel()
	for _, row := range menuRows {
		t.Run(row.entry, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			if row.prepare != nil {
				f.with(func() { row.prepare(f) })
			}
			s := start(t, f, 200, nil)
			s.choose(row.entry)
			for i := 0; i < len(row.says); i += 2 {
				// An answer behind a text that is no question stays unsaid.
				if !strings.Contains(row.says[i], "> ") && row.says[i+1] == "" {
					s.expect(row.says[i])
					continue
				}
				s.say(row.says[i], row.says[i+1])
			}
			s.expect(row.shows)
			s.choose("Exit")
			if status := s.status(); status != exitOK {
				t.Errorf("status %d", status)
			}
			if asked := f.requests(); !strings.HasSuffix(asked, row.asks) || (row.asks == "") != (asked == "") {
				t.Errorf("asked for\n%s\nwant at the end\n%s", asked, row.asks)
			}
		})
	}
}

// The entries stand in the order that operators know.
func TestMenuOrder(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		prepare func(*fakeNode)
		want    string
	}{
		{"orchestrator", func(*fakeNode) {}, ` 1. Get node status
 2. View protocol parameters
 3. List registered orchestrators
 4. Invoke "initialize round"
 5. Invoke "bond"
 6. Invoke "unbond"
 7. Invoke "rebond"
 8. Invoke "withdraw stake" (LPT)
 9. Invoke "withdraw fees" (ETH)
 10. Invoke "transfer" (LPT)
 11. Invoke "reward"
 12. Invoke multi-step "become an orchestrator"
 13. Set orchestrator config
 14. Set reward caller
 15. Set maximum Ethereum gas price
 16. Set minimum Ethereum gas price
 17. Sign a message
 18. Sign typed data
 19. Vote in a governance poll
 20. Vote on a treasury proposal
 21. Set max ticket face value
 22. Set price for broadcaster
 23. Set maximum sessions
 24. Exit`},
		{"gateway", func(f *fakeNode) { gateway(f); testnet(f) }, ` 1. Get node status
 2. View protocol parameters
 3. List registered orchestrators
 4. Invoke "initialize round"
 5. Invoke "bond"
 6. Invoke "unbond"
 7. Invoke "rebond"
 8. Invoke "withdraw stake" (LPT)
 9. Invoke "withdraw fees" (ETH)
 10. Invoke "transfer" (LPT)
 11. Invoke "deposit broadcasting funds" (ETH)
 12. Invoke "unlock broadcasting funds"
 13. Invoke "cancel unlock of broadcasting funds"
 14. Invoke "withdraw broadcasting funds"
 15. Set broadcast config
 16. Set max price per capability
 17. Set maximum Ethereum gas price
 18. Set minimum Ethereum gas price
 19. Get test LPT
 20. Get test ETH
 21. Sign a message
 22. Sign typed data
 23. Exit`},
		{"off-chain", func(f *fakeNode) { f.node.Offchain, f.node.Account = true, nil }, ` 1. Get node status
 2. Set maximum sessions
 3. Exit
This node runs off-chain`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			f.with(func() { tt.prepare(f) })
			s := start(t, f, 80, nil)
			s.expect("What would you like to do?\n")
			for _, line := range strings.Split(tt.want, "\n") {
				s.expect(strings.TrimSpace(line))
			}
			s.say("Choose a number > ", "99")
			s.say("Please type a number from 1 to", "")
			s.say("Choose a number > ", "q")
			if status := s.status(); status != exitOK {
				t.Errorf("status %d", status)
			}
		})
	}
}
