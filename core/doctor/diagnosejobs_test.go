package doctor_test

import (
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/doctor"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/requeststats"
)

var jobsNow = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// well is a node with which nothing is wrong, in a pool of a hundred.
func well() *doctor.NodeState {
	return &doctor.NodeState{
		Now: jobsNow, Started: jobsNow.Add(-30 * time.Hour), Orchestrator: true,
		Status: &adminapi.PublicStatus{State: adminapi.PublicActive, RegistryURI: "https://node.example:8935",
			Round: adminapi.PublicRound{Number: 7, Initialized: true}},
		PoolRank: &doctor.PoolRank{Rank: 3, Members: 100, Size: 100, Stake: core.LPTTokens(50),
			Last: core.LPTTokens(10)},
		Address: &doctor.Reachability{Advertised: "https://node.example:8935", OnChain: "https://node.example:8935",
			Reach: doctor.Reachable},
		Work:  doctor.Capacity{Transcodes: true, Devices: 1, DevicesTotal: 1, Sessions: 1, Limit: 10},
		Price: big.NewRat(1200, 1),
		RequestStats: requeststats.Report{Since: jobsNow.Add(-24 * time.Hour), Until: jobsNow, Answers: []requeststats.Answer{
			{Kind: requeststats.Segment, Gateway: "0xa", Count: 900, Last: jobsNow},
			{Kind: requeststats.TranscodingOffer, Gateway: "0xa", Count: 20, Last: jobsNow},
		}},
	}
}

func TestDiagnose(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change  func(f *doctor.NodeState)
		weight  doctor.FindingWeight
		says    string
		summary string
		proof   string
	}{
		"no orchestrator": {func(f *doctor.NodeState) { f.Orchestrator = false }, doctor.Blocker,
			"takes no jobs", "No jobs can come to this node", ""},
		"off-chain": {func(f *doctor.NodeState) { f.Offchain = true }, doctor.Hint, "off-chain",
			"Jobs do come", ""},
		"chain not read": {func(f *doctor.NodeState) { f.Status = nil }, doctor.Blocker, "not been read",
			"No jobs can come now", ""},
		"chain silent": {func(f *doctor.NodeState) { f.Status.Stale = true }, doctor.Likely, "stale",
			"Jobs do come", ""},
		"not registered": {func(f *doctor.NodeState) { f.Status.State = adminapi.PublicUnregistered },
			doctor.Blocker, "not registered", "No jobs can come now", ""},
		"next round": {func(f *doctor.NodeState) {
			f.Status.State,
				f.Status.ActiveFrom = adminapi.PublicWaiting, 8
		}, doctor.Blocker,
			"active in round 8", "No jobs can come now", "this is round 7"},
		"out of the set": {func(f *doctor.NodeState) {
			f.Status.State = adminapi.PublicInactive
			f.PoolRank = &doctor.PoolRank{Members: 100, Size: 100, Stake: core.LPTTokens(4),
				Last: core.LPTTokens(10)}
		}, doctor.Blocker, "not in the active set", "No jobs can come now",
			"not among the 100 members (maximum 100) with 4 LPT, 6 LPT below the last one's 10 LPT"},
		"leaving": {func(f *doctor.NodeState) { f.Status.State = adminapi.PublicLeaving },
			doctor.Likely, "leaves the active set", "Jobs do come", "rank 3 of 100"},
		"last place": {func(f *doctor.NodeState) {
			f.PoolRank.Rank, f.PoolRank.Stake = 100,
				core.LPTTokens(10)
		}, doctor.Likely, "about to be pushed out", "Jobs do come",
			"rank 100 of 100"},
		"lower half": {func(f *doctor.NodeState) { f.PoolRank.Rank = 60 }, doctor.Hint,
			"lower half", "Jobs do come", "40 LPT above"},
		"round not begun": {func(f *doctor.NodeState) { f.Status.Round.Initialized = false },
			doctor.Likely, "Round 7 is not initialized", "Jobs do come", ""},
		"no address": {func(f *doctor.NodeState) { f.Status.RegistryURI = "" }, doctor.Blocker,
			"No service address is registered", "No jobs can come now", ""},
		"port closed": {func(f *doctor.NodeState) { f.Address.Reach = doctor.ReachClosed },
			doctor.Blocker, "cannot be reached", "No jobs can come now", "advertised https://node.example:8935"},
		"another node": {func(f *doctor.NodeState) { f.Address.Reach = doctor.ReachForeign },
			doctor.Blocker, "Another node answers", "No jobs can come now", ""},
		"no connection": {func(f *doctor.NodeState) { f.Address.Reach = doctor.ReachUnverified },
			doctor.Likely, "No connection from outside", "Jobs do come", ""},
		"registered wrongly": {func(f *doctor.NodeState) { f.Address.Mismatch = true }, doctor.Likely,
			"not where the node is", "Jobs do come", ""},
		"private": {func(f *doctor.NodeState) { f.Address.Advertised = "https://10.0.0.4:8935" },
			doctor.Likely, "private", "Jobs do come", "10.0.0.4"},
		"draining": {func(f *doctor.NodeState) { f.Draining = true }, doctor.Blocker,
			"draining", "No jobs can come now", ""},
		"no device": {func(f *doctor.NodeState) { f.Work.Devices = 0 }, doctor.Blocker,
			"Nothing is ready to transcode", "No jobs can come now", "0 of 1"},
		"no device, models": {func(f *doctor.NodeState) {
			f.Work = doctor.Capacity{Transcodes: true, DevicesTotal: 1, AI: true, Models: 1, ModelsTotal: 1}
		}, doctor.Likely,
			"Nothing is ready to transcode", "Jobs do come", ""},
		"no model": {func(f *doctor.NodeState) { f.Work.AI, f.Work.ModelsTotal = true, 2 }, doctor.Likely,
			"No model is ready", "Jobs do come", "0 of 2"},
		"full": {func(f *doctor.NodeState) { f.Work.Sessions = 10 }, doctor.Likely,
			"All sessions are in use", "Jobs do come", "10 of 10"},
		"no request": {func(f *doctor.NodeState) { f.RequestStats.Answers = nil }, doctor.Likely,
			"No gateway has asked", "No gateway asked since 2026-03-03 05:06 UTC.",
			"up for 30h0m0s"},
		"refused often": {func(f *doctor.NodeState) {
			f.RequestStats.Answers = append(f.RequestStats.Answers,
				requeststats.Answer{Kind: requeststats.TranscodingOffer, Gateway: "0xb",
					Code: fault.OrchestratorCapped, Count: 500, Last: jobsNow})
		}, doctor.Likely, "500 of 1420 requests were refused with OrchestratorCapped", "Jobs do come",
			"0xb: 500 × transcoding_offer"},
		"refused seldom": {func(f *doctor.NodeState) {
			f.RequestStats.Answers = append(f.RequestStats.Answers,
				requeststats.Answer{Kind: requeststats.Segment, Code: fault.PaymentRefused, Count: 2, Last: jobsNow})
		}, doctor.Hint, "2 of 922 requests were refused with PaymentRefused", "Jobs do come",
			"without a proven address"},
		"price received and no job sent": {func(f *doctor.NodeState) {
			f.RequestStats.Answers = []requeststats.Answer{{Kind: requeststats.TranscodingOffer, Gateway: "0xb",
				Count: 40, Last: jobsNow}}
			f.RequestStats.Prices = []requeststats.Price{{Gateway: "0xb", Quotes: 40, Lowest: big.NewRat(1, 2),
				Highest: big.NewRat(9, 1), Last: big.NewRat(9, 1)}}
		}, doctor.Likely, "got the price", "Gateways asked 40 times, and no job came",
			"0xb was asked 9 wei per unit (0.500 to 9 in the day)"},
		"more expensive than before": {func(f *doctor.NodeState) {
			f.RequestStats.Prices = []requeststats.Price{{Gateway: "0xa", Quotes: 1, Lowest: big.NewRat(9, 1),
				Highest: big.NewRat(9, 1), Last: big.NewRat(9, 1), Expected: big.NewRat(7, 1)}}
		}, doctor.Hint, "lower price than the present", "Jobs do come", "0xa pays 7 wei per unit and is charged 9"},
		"missing": {func(f *doctor.NodeState) {
			f.RequestStats.Missing = []requeststats.Missing{{Kind: requeststats.AIOffer, Text: "missing llm",
				Count: 12}}
		}, doctor.Likely, "12 times what this node does not have", "Jobs do come", "missing llm"},
		"a condition": {func(f *doctor.NodeState) {
			f.Conditions = []health.Condition{{Code: fault.GPUFault, About: "GPU-1", Detail: "XID 79", Since: jobsNow}}
		}, doctor.Likely, "", "Jobs do come", "GPUFault (GPU-1) since 2026-03-04 05:06 UTC: XID 79"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := well()
			tt.change(f)
			out := doctor.DiagnoseJobs(f)
			if !strings.HasPrefix(out.Summary, tt.summary) {
				t.Errorf("summary %q, want %q", out.Summary, tt.summary)
			}
			for _, found := range out.Findings {
				if found.Weight == tt.weight && strings.Contains(found.Says, tt.says) &&
					strings.Contains(strings.Join(found.Evidence, "|"), tt.proof) {
					check(t, found)
					return
				}
			}
			t.Errorf("%s %q with %q is not in %+v", tt.weight, tt.says, tt.proof, out.Findings)
		})
	}
}

func check(t *testing.T, f doctor.JobFinding) {
	t.Helper()
	if !strings.HasSuffix(f.Says, ".") || len(f.Remedy) < 10 {
		t.Errorf("not a sentence with a remedy: %+v", f)
	}
	for _, e := range f.Evidence {
		if e == "" {
			t.Errorf("empty evidence: %+v", f)
		}
	}
}

func TestNothingIsWrong(t *testing.T) {
	t.Parallel()
	out := doctor.DiagnoseJobs(well())
	if len(out.Findings) != 0 ||
		out.Summary != "Jobs do come: 900 segments and 0 AI jobs were taken since 2026-03-03 05:06 UTC." {
		t.Errorf("%+v", out)
	}
}

func TestHeaviestFirstAndEachOnce(t *testing.T) {
	t.Parallel()
	f := well()
	f.Work.Sessions = 10
	f.Address.Reach = doctor.ReachClosed
	f.PoolRank.Rank = 60
	f.Conditions = []health.Condition{{Code: fault.PortClosed},
		{Code: fault.ChainStale, HiddenBy: fault.ChainUnavailable}, {Code: fault.SandboxDegraded}}
	var got []string
	for _, found := range doctor.DiagnoseJobs(f).Findings {
		got = append(got, string(found.Weight)+" "+string(found.Code))
	}
	if strings.Join(got, ", ") != "blocker PortClosed, likely OrchestratorCapped, hint " {
		t.Errorf("%q", got)
	}
}

func TestPoolRankOf(t *testing.T) {
	t.Parallel()
	member := func(n byte, stake uint64) protocol.Orchestrator {
		return protocol.Orchestrator{Address: core.Address{n}, DelegatedStake: core.LPTTokens(stake)}
	}
	pool := []protocol.Orchestrator{member(1, 9), member(2, 5), member(3, 2)}
	p := doctor.PoolRankOf(pool, member(2, 5), 100)
	if p.Rank != 2 || p.Members != 3 || p.Last.Tokens() != "2" || p.Stake.Tokens() != "5" {
		t.Errorf("%+v", p)
	}
	if p := doctor.PoolRankOf(pool, member(9, 1), 3); p.Rank != 0 || p.Stake.Tokens() != "1" {
		t.Errorf("%+v", p)
	}
	if p := doctor.PoolRankOf(nil, member(9, 1), 3); p.String() != "" {
		t.Errorf("%s", p.String())
	}
}

// A rank in a pool of a few is no reason why no jobs come.
func TestARankNeedsAPool(t *testing.T) {
	t.Parallel()
	for _, members := range []int{1, 2, 9} {
		f := well()
		f.PoolRank = &doctor.PoolRank{Rank: members, Members: members, Size: 100, Stake: core.LPTTokens(10),
			Last: core.LPTTokens(10)}
		for _, one := range doctor.DiagnoseJobs(f).Findings {
			if strings.Contains(one.Says, "lower half") || strings.Contains(one.Says, "pushed out") {
				t.Errorf("the last of %d: %s", members, one.Says)
			}
		}
	}
}
