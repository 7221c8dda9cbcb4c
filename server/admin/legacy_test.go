package admin_test

import (
	"math/big"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/server/admin"
)

// orchestrating is a station whose account is active in round 101, with another
// orchestrator of less stake in the pool.
func orchestrating(t *testing.T, change func(*admin.Options)) *station {
	t.Helper()
	st := newStation(t, change)
	st.chain.Register(other, core.LPTTokens(10), "https://other.example:8935")
	st.chain.Activate(account, core.LPTTokens(1000), "https://o.example:8935")
	return st
}

const (
	low      = "0xaa00000000000000000000000000000000000001"
	lowOther = "0xbb00000000000000000000000000000000000002"
	none     = "0x0000000000000000000000000000000000000000"
	never    = "115792089237316195423570985008687907853269984665640564039457584007913129639935"
	oneToken = "1000000000000000000"
)

func TestOldReads(t *testing.T) {
	t.Parallel()
	st := orchestrating(t, nil)
	price, _ := core.ParsePrice("1")
	_ = st.table.SetPrice(t.Context(), core.Address{}, core.UnitPrice{Price: price, PixelsPerUnit: 3})
	block := string(new(big.Int).SetUint64(uint64(st.chain.View().Head.Number)).Bytes())
	me := `{"Address":"` + low +
		`","ServiceURI":"https://o.example:8935","LastRewardRound":0,"RewardCut":0,"FeeShare":0,` +
		`"DelegatedStake":1000000000000000000000,"ActivationRound":101,"DeactivationRound":` + never +
		`,"LastActiveStakeUpdateRound":101,` +
		`"Active":true,"Status":"Registered","PricePerPixel":"1/3"}`
	they := `{"Address":"` + lowOther +
		`","ServiceURI":"https://other.example:8935","LastRewardRound":0,"RewardCut":0,"FeeShare":0,` +
		`"DelegatedStake":10000000000000000000,"ActivationRound":101,"DeactivationRound":` + never +
		`,"LastActiveStakeUpdateRound":101,` +
		`"Active":true,"Status":"Registered","PricePerPixel":"0"}`
	for _, tt := range []struct{ path, want string }{
		{"/currentBlock", block},
		{"/currentRound", "101"},
		{"/roundInitialized", "true"},
		{"/EthChainID", "54321"},
		{"/ethAddr", account.String()},
		{"/tokenBalance", "10000000000000000000000"},
		{"/maxGasPrice", ""},
		{"/minGasPrice", "0"},
		{"/orchestratorInfo", `{"Transcoder":` + me + `,"PriceInfo":"1/3"}` + "\n"},
		{"/registeredOrchestrators", "[" + me + "," + they + "]\n"},
		{"/delegatorInfo", `{"Address":"` + low + `","BondedAmount":1000000000000000000000,"Fees":0,"DelegateAddress":"` +
			low + `",` +
			`"DelegatedAmount":1000000000000000000000,"StartRound":101,"LastClaimRound":0,"NextUnbondingLockId":0,` +
			`"PendingStake":1000000000000000000000,"PendingFees":0,"Status":"Bonded"}` + "\n"},
		{"/unbondingLocks", "[]\n"},
		{"/orchestratorEarningPoolsForRound?round=101",
			`{"TotalStake":1000000000000000000000,"TranscoderRewardCut":0,"TranscoderFeeShare":0,` +
				`"CumulativeRewardFactor":1000000000000000000000000000,"CumulativeFeeFactor":0}` + "\n"},
		{"/protocolParameters", `{"NumActiveTranscoders":10,"RoundLength":50,"RoundLockAmount":100000,"UnbondingPeriod":7,` +
			`"Inflation":250000,` +
			`"InflationChange":500,"TargetBondingRate":500000000,"TotalBonded":1010000000000000000000,` +
			`"TotalSupply":30000000000000000000000000,"Paused":false}` + "\n"},
		{"/senderInfo", `{"Deposit":0,"WithdrawRound":0,"Reserve":{"FundsRemaining":0,"ClaimedInCurrentRound":0}}` + "\n"},
		{"/ticketBrokerParams", `{"UnlockPeriod":2}` + "\n"},
		{"/rewardCaller", none},
		{"/streamID", ""},
		{"/localStreams", "[]\n"},
	} {
		got := st.get(tt.path)
		if got.Code != 200 || got.Body.String() != tt.want {
			t.Errorf("%s: %d %q, want %q", tt.path, got.Code, got.Body, tt.want)
		}
		if byPost := st.form(tt.path, ""); byPost.Body.String() != got.Body.String() {
			t.Errorf("%s by POST: %d %q", tt.path, byPost.Code, byPost.Body)
		}
	}
	for _, tt := range []struct{ path, has string }{
		{"/contractAddresses", `"BondingManager":"0xc0`},
		{"/getAvailableTranscodingOptions", `"P240p30fps16x9"`},
		{"/debug", "goroutines "},
	} {
		if got := st.get(tt.path); got.Code != 200 || !strings.Contains(got.Body.String(), tt.has) {
			t.Errorf("%s: %d %q", tt.path, got.Code, got.Body)
		}
	}
}

func TestOldReadsRefuse(t *testing.T) {
	t.Parallel()
	st := orchestrating(t, nil)
	for _, tt := range []struct {
		path   string
		status int
		want   string
	}{
		{"/orchestratorEarningPoolsForRound", 400, "missing form param: round\n"},
		{"/orchestratorEarningPoolsForRound?round=-1", 400, "round \"-1\": not a whole, non-negative number\n"},
		{"/unbondingLocks?withdrawable=perhaps", 400, "withdrawable \"perhaps\" is neither true nor false\n"},
		{"/getBroadcastConfig", 404, "AdminPartAbsent: this node has no broadcast configuration\n"},
		{"/getNetworkCapabilities", 400, "network capabilities are known to gateways, and this is an orchestrator\n"},
	} {
		if got := st.get(tt.path); got.Code != tt.status || got.Body.String() != tt.want {
			t.Errorf("%s: %d %q", tt.path, got.Code, got.Body)
		}
	}
	st.chain.Forget()
	for _, path := range []string{"/currentBlock", "/currentRound", "/orchestratorInfo", "/delegatorInfo", "/tokenBalance",
		"/senderInfo"} {
		got := st.get(path)
		if got.Code != 500 || !strings.HasPrefix(got.Body.String(), "ChainNotReady: ") {
			t.Errorf("%s without the chain: %d %q", path, got.Code, got.Body)
		}
	}
	if got := st.get("/EthChainID"); got.Body.String() != "0" {
		t.Errorf("chain ID %q", got.Body)
	}
}

// hashBody stands for the hash of the last transaction, as bytes.
const hashBody = "hash"

// act is one change on an old route, and what it becomes on the chain.
type act struct {
	path, form string
	before     func(*station)
	body       string
	want       []protocol.Action
}

func acts() []act {
	bondSelf := func(st *station) { st.chain.Activate(account, core.LPTTokens(1000), "") }
	unbonded := func(st *station) { bondSelf(st); st.form("/unbond", "amount="+oneToken) }
	funded := func(st *station) { st.chain.SetSender(account, protocol.Sender{Deposit: core.NewWei(5)}) }
	proposal, _ := new(big.Int).SetString(never, 10)
	return []act{
		{"/bond", "amount=" + oneToken + "&toAddr=" + low, nil, "", []protocol.Action{
			protocol.Approve{Amount: core.LPTTokens(1)}, protocol.Bond{Amount: core.LPTTokens(1), To: account}}},
		{"/unbond", "amount=" + oneToken, bondSelf, "", []protocol.Action{protocol.Unbond{Amount: core.LPTTokens(1)}}},
		{"/rebond", "unbondingLockId=0", unbonded, "", []protocol.Action{protocol.Rebond{Lock: 0}}},
		{"/rebond", "unbondingLockId=0&toAddr=" + low, unbonded, "",
			[]protocol.Action{protocol.RebondFromUnbonded{To: account, Lock: 0}}},
		{"/withdrawStake", "unbondingLockId=0", func(st *station) { unbonded(st); st.chain.ToRound(108); st.chain.Open() },
			"",
			[]protocol.Action{protocol.WithdrawStake{Lock: 0}}},
		{"/withdrawFees", "amount=7", func(st *station) { st.chain.GiveFees(account, core.NewWei(9)) }, "",
			[]protocol.Action{protocol.WithdrawFees{Recipient: account, Amount: core.NewWei(7)}}},
		{"/claimEarnings", "", nil, "", []protocol.Action{protocol.ClaimEarnings{}}},
		{"/transferTokens", "to=" + lowOther + "&amount=3", nil, "",
			[]protocol.Action{protocol.TransferTokens{To: other, Amount: core.NewLPT(3)}}},
		{"/requestTokens", "", nil, "", []protocol.Action{protocol.RequestTokens{}}},
		{"/initializeRound", "", func(st *station) { st.chain.ToRound(101) }, "",
			[]protocol.Action{protocol.InitializeRound{}}},
		{"/reward", "", bondSelf, "", []protocol.Action{protocol.Reward{}}},
		{"/setRewardCaller", "rewardCaller=" + lowOther, bondSelf, "",
			[]protocol.Action{protocol.SetRewardCaller{Caller: other}}},
		{"/vote", "poll=" + lowOther + "&choiceID=1", nil, hashBody,
			[]protocol.Action{protocol.VoteInPoll{Poll: other, Choice: 1}}},
		{"/voteOnProposal", "proposalID=" + never + "&support=2&reason=because", nil, hashBody,
			[]protocol.Action{protocol.VoteOnProposal{Proposal: proposal, Support: 2, Reason: "because"}}},
		{"/fundDepositAndReserve", "depositAmount=5&reserveAmount=6", nil, "fundDepositAndReserve success",
			[]protocol.Action{protocol.FundDepositAndReserve{Deposit: core.NewWei(5), Reserve: core.NewWei(6)}}},
		{"/fundDeposit", "amount=5", nil, "fundDeposit success",
			[]protocol.Action{protocol.FundDeposit{Amount: core.NewWei(5)}}},
		{"/unlock", "", funded, "unlock success", []protocol.Action{protocol.Unlock{}}},
		{"/cancelUnlock", "", func(st *station) { funded(st); st.form("/unlock", "") }, "cancelUnlock success",
			[]protocol.Action{protocol.CancelUnlock{}}},
		{"/withdraw", "", func(st *station) { funded(st); st.form("/unlock", ""); st.chain.ToRound(103) }, "withdraw success",
			[]protocol.Action{protocol.WithdrawFunds{}}},
	}
}

func TestOldTransactions(t *testing.T) {
	t.Parallel()
	for _, tt := range acts() {
		for _, method := range []string{"POST", "GET"} {
			t.Run(method+tt.path+"?"+tt.form, func(t *testing.T) {
				t.Parallel()
				st := newStation(t, old)
				if tt.before != nil {
					tt.before(st)
				}
				before := len(st.chain.Sent())
				got := ask(st.Server, method, tt.path+"?"+tt.form, "")
				if method == "GET" {
					if sent := st.chain.Sent()[before:]; got.Code != http.StatusMethodNotAllowed || len(sent) != 0 {
						t.Errorf("%d %q, sent %#v", got.Code, got.Body, sent)
					}
					return
				}
				want := tt.body
				if want == hashBody {
					all := st.chain.Transactions()
					want = string(all[len(all)-1].Hash[:])
				}
				if got.Code != 200 || got.Body.String() != want {
					t.Fatalf("%d %q, want %q", got.Code, got.Body, want)
				}
				if sent := st.chain.Sent()[before:]; !reflect.DeepEqual(sent, tt.want) {
					t.Errorf("sent %#v, want %#v", sent, tt.want)
				}
			})
		}
	}
}

func TestOldTransactionsRefuse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		path, form string
		status     int
		want       string
	}{
		{"/bond", "toAddr=" + low, 400, "missing form param: amount\n"},
		{"/bond", "amount=1", 400, "missing form param: toAddr\n"},
		{"/bond", "amount=-1&toAddr=" + low, 400, "amount \"-1\": not a whole, non-negative number of the token's " +
			"smallest unit\n"},
		{"/bond", "amount=1&toAddr=me", 400, "toAddr \"me\": not an address of the form 0x and 40 hexadecimal digits\n"},
		{"/unbond", "", 400, "missing form param: amount\n"},
		{"/rebond", "unbondingLockId=x", 400, "unbondingLockId \"x\": not a whole, non-negative number\n"},
		{"/withdrawStake", "", 400, "missing form param: unbondingLockId\n"},
		{"/withdrawFees", "amount=1e-3", 400, "amount \"1e-3\": not a whole, non-negative number of wei\n"},
		{"/transferTokens", "amount=5", 400, "missing form param: to\n"},
		{"/vote", "poll=" + low + "&choiceID=2", 400, "choiceID \"2\": not a number from 0 to 1\n"},
		{"/voteOnProposal", "proposalID=-1&support=0", 400, "proposalID \"-1\": not a proposal's decimal number\n"},
		{"/voteOnProposal", "proposalID=1&support=3", 400, "support \"3\": not a number from 0 to 2\n"},
		{"/fundDeposit", "amount=%zz", 400, "the form cannot be read: invalid URL escape \"%zz\"\n"},
		{"/fundDepositAndReserve", "depositAmount=1", 400, "missing form param: reserveAmount\n"},
		{"/signMessage", "", 400, "missing form param: message\n"},
		{"/setRewardCaller", "", 400, "missing form param: rewardCaller\n"},
		{"/setMaxGasPrice", "", 400, "missing form param: amount\n"},
		{"/setMinGasPrice", "minGasPrice=x", 400, "minGasPrice \"x\": not a whole, non-negative number of wei\n"},
		{"/setMaxFaceValue", "", 400, "missing form param: maxfacevalue\n"},
		{"/setPriceForBroadcaster", "pricePerUnit=1&pixelsPerUnit=0&broadcasterEthAddr=default", 400,
			"pixelsPerUnit \"0\": not a whole number of pixels of at least 1\n"},
		{"/setPriceForBroadcaster", "pricePerUnit=0.5&pixelsPerUnit=1&broadcasterEthAddr=default", 400,
			"pricePerUnit \"0.5\": not a whole number of wei; an amount of a currency needs its name, such as 0.50USD\n"},
		{"/setPriceForBroadcaster", "pricePerUnit=1&pixelsPerUnit=1", 400, "missing form param: broadcasterEthAddr\n"},
		{"/setBroadcastConfig", "transcodingOptions=P240p30fps16x9", 404,
			"AdminPartAbsent: this node has no renditions that can be changed while it runs\n"},
		{"/setBroadcastConfig", "", 400, "missing form param: maxPricePerUnit or transcodingOptions\n"},
		{"/setBroadcastConfig", "maxPricePerUnit=1&pixelsPerUnit=1", 404,
			"AdminPartAbsent: this node has no bound on prices that can be changed while it runs\n"},
		{"/registerLiveRunners", "", 404, "AdminPartAbsent: this node has no live runners\n"},
	} {
		st := newStation(t, old)
		got := st.form(tt.path, tt.form)
		if got.Code != tt.status || got.Body.String() != tt.want {
			t.Errorf("%s %s: %d %q, want %q", tt.path, tt.form, got.Code, got.Body, tt.want)
		}
		if len(st.chain.Sent()) != 0 {
			t.Errorf("%s: sent %v", tt.path, st.chain.Sent())
		}
	}
	st := newStation(t, old)
	st.chain.Refuse(func(protocol.Action) error { return fault.New(fault.RoundNotInitialized, "bond", "round 100") })
	if got := st.form("/claimEarnings", ""); got.Code != 500 || got.Body.String() != "RoundNotInitialized: round 100\n" {
		t.Errorf("a refused action: %d %q", got.Code, got.Body)
	}
}
