package metrics_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/doctor"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/requeststats"
	"github.com/tuttinode/tutti/server/metrics"
)

// world is what a node's figures are looked up from.
type world struct {
	chain   metrics.ChainState
	reward  protocol.RewardStatus
	rpc     []metrics.EndpointState
	demand  []requeststats.Total
	machine metrics.MachineState
	models  []inference.ModelState
}

// watched is a registry with every series that is looked up.
func watched(t *testing.T, w *world) (*metrics.Metrics, *metrics.Reloads) {
	t.Helper()
	m := metrics.New(metrics.Options{NodeID: "id"})
	reloads, err := m.Reloads(time.Unix(1_700_000_000, 0))
	err = errors.Join(err,
		m.WatchChain(func() metrics.ChainState { return w.chain }),
		m.WatchGas(metrics.Orchestrator, func() metrics.ChainState { return w.chain }),
		m.WatchRewards(func() protocol.RewardStatus { return w.reward }),
		m.WatchEndpoints(func() []metrics.EndpointState { return w.rpc }),
		m.WatchRequests(func() []requeststats.Total { return w.demand }),
		m.WatchMachine(func() metrics.MachineState { return w.machine }),
		m.WatchModels(metrics.Orchestrator, "", func() []inference.ModelState { return w.models }),
		m.WatchWorkersRefused(func() map[string]map[fault.Code]uint64 {
			return map[string]map[fault.Code]uint64{"transcoder": {fault.RemoteSecretWrong: 3}}
		}))
	if err != nil {
		t.Fatal(err)
	}
	return m, reloads
}

func full() *world {
	return &world{
		reward: protocol.RewardStatus{Failures: 2},
		chain: metrics.ChainState{Orchestrator: true, Gas: protocol.GasPrices{Current: core.NewWei(100_000_000)},
			Place: &doctor.PoolRank{Rank: 0, Members: 100, Size: 100, Stake: core.LPTTokens(4), Last: core.LPTTokens(10)},
			View: protocol.View{
				Known: true, PoolSize: 100, Head: protocol.Head{Number: 900, L1: 70, Time: time.Unix(1_700_000_000, 0)},
				Round:    protocol.RoundState{Number: 12, Initialized: true, Start: 60, Length: 20},
				Self:     protocol.Orchestrator{Registered: true, DelegatedStake: core.LPTTokens(4), LastRewardRound: 11},
				Balances: protocol.Balances{Ether: core.NewWei(5_500_000_000), Token: core.LPTTokens(3)},
			}},
		rpc: []metrics.EndpointState{
			{Name: "https://a:443", State: "serving", Serving: true, Head: 900, Errors: .25, Latency: 200 * time.Millisecond,
				P95: time.Second},
			{Name: "https://b:443", State: "lagging", Head: 880, Lag: 20}, {Name: "https://b:443", State: "untried"},
		},
		demand: []requeststats.Total{{Kind: requeststats.Segment, Count: 7},
			{Kind: requeststats.Segment, Code: fault.OrchestratorCapped, Count: 2}},
		machine: metrics.MachineState{Ready: true, ListenerKnown: true, Connections: 3, MostConnections: 100,
			CertificateKnown: true,
			CertificateEnds:  time.Unix(1_800_000_000, 0), DiskKnown: true, DiskFree: 500, DiskSize: 1000},
		models: []inference.ModelState{{Model: inference.Model{Capability: capability.LLM, ID: "m"},
			State: inference.Loading}},
	}
}

func TestNodeFigures(t *testing.T) {
	t.Parallel()
	w := full()
	m, reloads := watched(t, w)
	reloads.Reloaded(time.Unix(1_700_000_100, 0), errors.New("a bad file"))
	text := scrape(t, m)
	for series, want := range map[string]string{
		`tutti_chain_head_block{D}`: "900", `tutti_chain_layer1_block{D}`: "70", `tutti_chain_stale{D}`: "0",
		`tutti_chain_head_timestamp_seconds{D}`: "1.7e+09",
		`tutti_round{D}`:                        "12", `tutti_round_initialized{D}`: "1",
		`tutti_round_end_layer1_block{D}`: "80",
		`livepeer_suggested_gas_price{N}`: "0.1", `livepeer_max_gas_price{N}`: "0", `livepeer_reward_call_errors{N}`: "2",
		`tutti_native_balance_gwei{D}`: "5.5", `tutti_token_balance_lpt{D}`: "3", `tutti_stake_lpt{D}`: "4",
		`tutti_last_reward_round{D}`: "11",
		`tutti_registered{D}`:        "1", `tutti_active{D}`: "0", `tutti_pool_rank{D}`: "0", `tutti_pool_members{D}`: "100",
		`tutti_pool_size{D}`:                       "100",
		`tutti_pool_margin_lpt{D}`:                 "-6",
		`tutti_rpc_up{endpoint="https://a:443",D}`: "1", `tutti_rpc_up{endpoint="https://b:443",D}`: "0",
		`tutti_rpc_lag_blocks{endpoint="https://b:443",D}`: "20", `tutti_rpc_error_ratio{endpoint="https://a:443",D}`: "0.25",
		`tutti_rpc_latency_seconds{endpoint="https://a:443",D}`:                     "0.2",
		`tutti_rpc_latency_p95_seconds{endpoint="https://a:443",D}`:                 "1",
		`tutti_rpc_head_block{endpoint="https://a:443",D}`:                          "900",
		`tutti_requests_total{code="ok",kind="segment",O}`:                          "7",
		`tutti_requests_total{code="OrchestratorCapped",kind="segment",O}`:          "2",
		`tutti_requests_total{code="ok",kind="job",O}`:                              "0",
		`tutti_workers_refused_total{code="RemoteSecretWrong",kind="transcoder",O}`: "3",
		`tutti_ready{D}`:                                        "1",
		`tutti_draining{D}`:                                     "0",
		`tutti_listener_connections{D}`:                         "3",
		`tutti_listener_connections_limit{D}`:                   "100",
		`tutti_certificate_expiry_timestamp_seconds{D}`:         "1.8e+09",
		`tutti_data_dir_free_bytes{D}`:                          "500",
		`tutti_data_dir_size_bytes{D}`:                          "1000",
		`tutti_config_last_reload_successful{D}`:                "0",
		`tutti_config_last_reload_success_timestamp_seconds{D}`: "1.7e+09",
		`tutti_ai_model_state{model_name="m",O,pipeline="` + capability.LLM.Pipeline() + `",state="loading"}`: "1",
		`tutti_reward_state{O,state="idle"}`: "0",
	} {
		series = strings.NewReplacer(`{N}`, `{node_id="id",node_type="orch"}`, `D`+"}", `node_id="id",node_type="dflt"}`,
			`,O}`, `,node_id="id",node_type="orch"}`, `,O,`, `,node_id="id",node_type="orch",`,
			`{O,`, `{node_id="id",node_type="orch",`).Replace(series)
		if !strings.Contains(text, series+" "+want+"\n") {
			t.Errorf("%s is not %s", series, want)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

// What is not known is left out, not shown as nothing.
func TestUnknownIsLeftOut(t *testing.T) {
	t.Parallel()
	m, _ := watched(t, &world{})
	text := scrape(t, m)
	for _, name := range []string{"tutti_round", "tutti_native_balance_gwei", "tutti_pool_rank", "tutti_certificate",
		"tutti_data_dir", "tutti_listener"} {
		if strings.Contains(text, "\n"+name) {
			t.Errorf("%s is shown", name)
		}
	}
	if !strings.Contains(text, "\ntutti_ready{") {
		t.Error("tutti_ready is not there")
	}
	w := full()
	w.chain.Orchestrator = false
	m, _ = watched(t, w)
	if text := scrape(t, m); strings.Contains(text, "tutti_active") ||
		!strings.Contains(text, "tutti_native_balance_gwei") {
		t.Error("the record of a node that is no orchestrator is shown, or its money is not")
	}
}

// Rounds of before the first look are history; each is counted once.
func TestRewardRoundsAreCountedOnce(t *testing.T) {
	t.Parallel()
	w := &world{reward: protocol.RewardStatus{State: protocol.RewardDone, History: []protocol.PastReward{{Round: 7,
		Outcome: protocol.RewardMissed}}}}
	m, _ := watched(t, w)
	has := func(called, missed string) {
		t.Helper()
		text := scrape(t, m)
		for outcome, n := range map[string]string{"called": called, "missed": missed} {
			if !strings.Contains(text,
				`tutti_reward_rounds_total{node_id="id",node_type="orch",outcome="`+outcome+`"} `+n+"\n") {
				t.Errorf("%s is not %s:\n%s", outcome, n, text)
			}
		}
		if !strings.Contains(text, `state="done"} 1`) {
			t.Error("the state is not done")
		}
	}
	has("0", "0")
	w.reward.History = append([]protocol.PastReward{{Round: 9, Outcome: protocol.RewardCalled}, {Round: 8,
		Outcome: protocol.RewardMissed}},
		w.reward.History...)
	has("1", "1")
	has("1", "1")
}

// Names of our own follow the conventions; those of the existing node are as they are.
func TestOurNamesAreLinted(t *testing.T) {
	t.Parallel()
	m, _ := watched(t, full())
	exercise(m.Recorder(metrics.Orchestrator), "s")
	problems, err := promlint.New(strings.NewReader(scrape(t, m))).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		if strings.HasPrefix(p.Metric, "tutti_") {
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
	}
}
