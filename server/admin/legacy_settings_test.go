package admin_test

import (
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/server/admin"
)

func TestOldSettings(t *testing.T) {
	t.Parallel()
	st := newStation(t, old)
	for _, tt := range []struct{ path, form, want string }{
		{"/setMaxGasPrice", "amount=30000000", ""},
		{"/maxGasPrice", "", "30000000"},
		{"/setMinGasPrice", "minGasPrice=5", ""},
		{"/minGasPrice", "", "5"},
		{"/setMaxGasPrice", "amount=0", ""},
		{"/maxGasPrice", "", ""},
		{"/minGasPrice", "", "5"},
		{"/setMaxFaceValue", "maxfacevalue=1e12", "ticket max face value set"},
		{"/setPriceForBroadcaster", "pricePerUnit=2&pixelsPerUnit=1e1&currency=Wei&broadcasterEthAddr=default",
			"Price per pixel set to 2 wei per 10 for broadcaster default until the next start"},
		{"/setPriceForBroadcaster", "pricePerUnit=0.50&pixelsPerUnit=1000000&currency=USD&broadcasterEthAddr=" + lowOther,
			"Price per pixel set to 0.5USD per 1000000 for broadcaster " + lowOther + " until the next start"},
		{"/setMaxSessions", "maxSessions=12", "Max sessions set to 12\n"},
		{"/setLogLevel", "loglevel=6", ""},
	} {
		if got := st.form(tt.path, tt.form); got.Code != 200 || got.Body.String() != tt.want {
			t.Errorf("%s %s: %d %q, want %q", tt.path, tt.form, got.Code, got.Body, tt.want)
		}
	}
	if st.table.face.String() != "1000000000000" || st.table.prices[core.Address{}].String() != "2 wei per 10" ||
		st.table.prices[other].String() != "0.5USD per 1000000" {
		t.Errorf("face value %s, prices %v", st.table.face, st.table.prices)
	}
}

func TestSignMessage(t *testing.T) {
	t.Parallel()
	st := newStation(t, old)
	got := ask(st.Server, "POST", "/signMessage", "message=hello")
	if b := got.Body.Bytes(); got.Code != 200 || len(b) != 65 || b[63] != 5 || b[64] != 27 {
		t.Errorf("%d %x", got.Code, b)
	}
	got = ask(st.Server, "POST", "/signMessage", "message=%7B%7D", "SigFormat", "data/typed")
	if b := got.Body.Bytes(); got.Code != 200 || len(b) != 65 || b[64] != 28 {
		t.Errorf("typed: %d %x", got.Code, b)
	}
	got = ask(st.Server, "POST", "/signMessage", "message=hello", "SigFormat", "data/typed")
	if got.Code != 400 || got.Body.String() != "TypedDataInvalid: no EIP-712 document\n" {
		t.Errorf("no document: %d %q", got.Code, got.Body)
	}
}

// What the node has no part for is said, and nothing is done.
func TestOldAbsentParts(t *testing.T) {
	t.Parallel()
	st := newStation(t, func(o *admin.Options) {
		old(o)
		o.Chain.Gas, o.Chain.Signer, o.Market = nil, nil, admin.Market{}
	})
	for path, form := range map[string]string{
		"/maxGasPrice": "", "/setMinGasPrice": "minGasPrice=1", "/signMessage": "message=x",
		"/setMaxFaceValue":        "maxfacevalue=1",
		"/setPriceForBroadcaster": "pricePerUnit=1&pixelsPerUnit=1&broadcasterEthAddr=default",
		"/activateOrchestrator":   activation + "&amount=" + oneToken,
	} {
		if got := st.form(path, form); got.Code != 404 {
			t.Errorf("%s: %d %q", path, got.Code, got.Body)
		}
	}
	if sent := st.chain.Sent(); len(sent) != 0 {
		t.Errorf("sent %v", sent)
	}
}

const activation = "blockRewardCut=10&feeShare=4.999999999999997&pricePerUnit=3" +
	"&pixelsPerUnit=2&currency=Wei&serviceURI=https://o.example:8935"

func TestActivateOrchestrator(t *testing.T) {
	t.Parallel()
	uri := protocol.SetServiceURI{URI: "https://o.example:8935"}
	cuts := protocol.SetCommission{RewardCut: 100_000, FeeShare: 50_000}
	approve, bond := protocol.Approve{Amount: core.LPTTokens(1)}, protocol.Bond{Amount: core.LPTTokens(1), To: account}
	t.Run("fresh", func(t *testing.T) {
		t.Parallel()
		st := newStation(t, old)
		got := st.form("/activateOrchestrator", activation+"&amount="+oneToken)
		if got.Code != 200 || got.Body.Len() != 0 {
			t.Fatalf("%d %q", got.Code, got.Body)
		}
		same(t, st.chain.Sent(), approve, bond, cuts, uri)
		if p := st.table.prices[core.Address{}].String(); p != "3 wei per 2" {
			t.Errorf("price %s", p)
		}
		if got := st.form("/activateOrchestrator", activation); got.Code != 400 ||
			got.Body.String() != "orchestrator already registered\n" {
			t.Errorf("again: %d %q", got.Code, got.Body)
		}
	})
	t.Run("from a lock, and more", func(t *testing.T) {
		t.Parallel()
		st := newStation(t, old)
		st.chain.Activate(account, core.LPTTokens(5), "")
		st.form("/unbond", "amount="+core.LPTTokens(5).String())
		st.chain.ToRound(102)
		st.chain.Open()
		before := len(st.chain.Sent())
		got := st.form("/activateOrchestrator", activation+"&unbondingLockId=0&amount="+oneToken)
		if got.Code != 200 {
			t.Fatalf("%d %q", got.Code, got.Body)
		}
		same(t, st.chain.Sent()[before:], protocol.RebondFromUnbonded{To: account, Lock: 0}, approve, bond, cuts, uri)
	})
	t.Run("locked round", func(t *testing.T) {
		t.Parallel()
		st := newStation(t, old)
		st.chain.Mine(48*46, 46)
		got := st.form("/activateOrchestrator", activation+"&amount="+oneToken)
		if got.Code != 500 || got.Body.String() != "current round is locked\n" {
			t.Errorf("%d %q", got.Code, got.Body)
		}
		same(t, st.chain.Sent())
	})
	t.Run("another's orchestrator", func(t *testing.T) {
		t.Parallel()
		st := newStation(t, func(o *admin.Options) { old(o); o.Chain.Orchestrator = other })
		for path, form := range map[string]string{"/activateOrchestrator": activation,
			"/setOrchestratorConfig": "serviceURI=https://a.example:1", "/setRewardCaller": "rewardCaller=" + low} {
			if got := st.form(path, form); got.Code != 500 || errorCode(got.Body.String()) != fault.AccountNotOrchestrator {
				t.Errorf("%s: %d %q", path, got.Code, got.Body)
			}
		}
		same(t, st.chain.Sent())
	})
}

func TestActivateOrchestratorRefuses(t *testing.T) {
	t.Parallel()
	for form, want := range map[string]string{
		"":                              "missing form param: blockRewardCut\n",
		"blockRewardCut=101&feeShare=5": "blockRewardCut \"101\": not a percentage from 0 to 100\n",
		"blockRewardCut=10&feeShare=-5": "feeShare \"-5\": not a percentage from 0 to 100\n",
		"blockRewardCut=10&feeShare=5":  "missing form param: pricePerUnit\n",
		"blockRewardCut=10&feeShare=5&pricePerUnit=1": "" +
			"missing form param: pixelsPerUnit\n",
		"blockRewardCut=10&feeShare=5&pricePerUnit=1&pixelsPerUnit=1": "" +
			"missing form param: serviceURI\n",
		"blockRewardCut=10&feeShare=5&pricePerUnit=1&pixelsPerUnit=1&serviceURI=http://o.example:1": "" +
			"serviceURI \"http://o.example:1\": not an address of the form https://host:port\n",
		"blockRewardCut=10&feeShare=5&pricePerUnit=1&pixelsPerUnit=1&serviceURI=https://o.example:1&amount=x": "" +
			"amount \"x\": not a whole, non-negative number of the token's smallest unit\n",
	} {
		st := newStation(t, old)
		if got := st.form("/activateOrchestrator", form); got.Code != 400 || got.Body.String() != want {
			t.Errorf("%s: %d %q", form, got.Code, got.Body)
		}
		same(t, st.chain.Sent())
	}
}

func TestSetOrchestratorConfig(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		form, want string
		status     int
		sent       []protocol.Action
	}{
		{"serviceURI=https://o.example:8935", "", 200, nil},
		{"serviceURI=https://new.example:8935", "", 200,
			[]protocol.Action{protocol.SetServiceURI{URI: "https://new.example:8935"}}},
		{"pricePerUnit=7&pixelsPerUnit=1", "", 200, nil},
		{"", "", 200, nil},
		{"blockRewardCut=10", "missing form param: feeShare\n", 400, nil},
		{"pixelsPerUnit=10", "missing form param: pricePerUnit\n", 400, nil},
		{"blockRewardCut=0&feeShare=0", "", 200, nil},
	} {
		st := orchestrating(t, old)
		got := st.form("/setOrchestratorConfig", tt.form)
		if got.Code != tt.status || got.Body.String() != tt.want {
			t.Errorf("%s: %d %q", tt.form, got.Code, got.Body)
		}
		same(t, st.chain.Sent(), tt.sent...)
	}
	st := orchestrating(t, old)
	st.form("/reward", "")
	before := len(st.chain.Sent())
	if got := st.form("/setOrchestratorConfig",
		"blockRewardCut=12.5&feeShare=50&pricePerUnit=7&pixelsPerUnit=1"); got.Code != 200 {
		t.Fatalf("%d %q", got.Code, got.Body)
	}
	same(t, st.chain.Sent()[before:], protocol.SetCommission{RewardCut: 125_000, FeeShare: 500_000})
}

// The node of a hot key calls reward for the orchestrator that it works for.
func TestRewardForAnother(t *testing.T) {
	t.Parallel()
	st := newStation(t, func(o *admin.Options) { old(o); o.Chain.Orchestrator = other })
	st.chain.Activate(other, core.LPTTokens(10), "")
	st.chain.NameRewardCaller(other, account)
	if got := st.form("/reward", ""); got.Code != 200 {
		t.Fatalf("%d %q", got.Code, got.Body)
	}
	same(t, st.chain.Sent(), protocol.RewardFor{Orchestrator: other})
}
