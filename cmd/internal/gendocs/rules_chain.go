package main

import (
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// aiRules returns about AI jobs.
func aiRules() []rule {
	return []rule{
		{name: "TuttiModelFailed", expr: `tutti_ai_model_state{state="failed"} == 1`, lasts: 10 * time.Minute,
			severity: fault.Critical,
			summary:  "{{ $labels.model_name }} ({{ $labels.pipeline }}) cannot be had on {{ $labels.instance }}",
			cause:    "The model's runner does not come up.",
			remedy:   "The node's conditions have the reason and the container's last lines.", code: fault.ModelFailed},
		{name: "TuttiJobsFail", expr: `sum by (instance, job, pipeline, model_name) ` +
			`(rate(tutti_ai_requests_total{status=~"5.."}[10m])) / sum by (instance, job, pipeline, model_name) ` +
			`(rate(tutti_ai_requests_total[10m])) > 0.05`,
			lasts: 10 * time.Minute, severity: fault.Critical, summary: "{{ $value | humanizePercentage }} of the jobs of {{ " +
				"$labels.model_name }} fail on {{ $labels.instance }}",
			cause:  "More than one in twenty AI jobs were answered with a failure.",
			remedy: "The label error_code says why; `tutti help` explains each code."},
		{name: "TuttiQueueLong", expr: `tutti_ai_waiting > 10`, lasts: 10 * time.Minute, severity: fault.Warning,
			summary: "{{ $value }} jobs wait for {{ $labels.model_name }} on {{ $labels.instance }}",
			cause:   "More jobs come than the model's runners can do.",
			remedy:  "Add a GPU for the model, or raise its capacity if the GPU has free memory.", code: fault.ModelLineFull},
		{name: "TuttiFirstTokenSlow",
			expr: `histogram_quantile(0.95, sum by (instance, job, model_name, le) ` +
				`(rate(tutti_ai_first_token_seconds_bucket[10m]))) > 10`,
			lasts: 15 * time.Minute, severity: fault.Warning, summary: "{{ $labels.model_name }} on {{ $labels.instance }} " +
				"takes {{ $value | humanizeDuration }} to its first token",
			cause:  "Jobs wait for a slot or the runner is overloaded.",
			remedy: "Look at tutti_ai_queue_seconds and at the GPU's load."},
	}
}

// chainRules returns about the chain and the node's place on it. A layer-1 block takes
// about twelve seconds.
func chainRules() []rule {
	return []rule{
		{name: "TuttiEndpointsDown", expr: `sum by (instance, job) (tutti_rpc_up) == 0`, lasts: 2 * time.Minute,
			severity: fault.Critical,
			summary:  "no layer-2 endpoint of {{ $labels.instance }} serves",
			cause:    "None of the endpoints of -ethUrl answers as it should.",
			remedy:   "tutti_rpc_state says what each one does; add one of another provider.", code: fault.ChainUnavailable},
		{name: "TuttiEndpointDown", expr: `tutti_rpc_up == 0`, lasts: 15 * time.Minute, severity: fault.Warning,
			summary: "{{ $labels.endpoint }} does not serve {{ $labels.instance }}",
			cause:   "One of the endpoints of -ethUrl does not answer as it should; the others do its work.",
			remedy:  "Check the provider's plan and key, or take it out."},
		{name: "TuttiEndpointSlow", expr: `tutti_rpc_latency_p95_seconds > 2`, lasts: 15 * time.Minute,
			severity: fault.Warning,
			summary:  "{{ $labels.endpoint }} takes {{ $value | humanizeDuration }} to answer {{ $labels.instance }}",
			cause:    "A slow endpoint makes tickets late and rewards expensive.",
			remedy:   "Use one that is nearer, or another plan.", code: fault.RPCTimeout},
		{name: "TuttiEndpointErrors", expr: `tutti_rpc_error_ratio > 0.2`, lasts: 15 * time.Minute, severity: fault.Warning,
			summary: "{{ $value | humanizePercentage }} of the requests of {{ $labels.instance }} to {{ $labels.endpoint }} " +
				"fail", cause: "The endpoint refuses or loses requests.",
			remedy: "Check the provider's plan and key."},
		{name: "TuttiEndpointLags", expr: `tutti_rpc_lag_blocks > 240`, lasts: 10 * time.Minute, severity: fault.Warning,
			summary: "{{ $labels.endpoint }} is {{ $value }} blocks behind",
			cause:   "The endpoint does not keep up with the chain.", remedy: "Use another provider.", code: fault.RPCStale},
		{name: "TuttiChainSilent", expr: `time() - tutti_chain_head_timestamp_seconds > 300`, lasts: 2 * time.Minute,
			severity: fault.Critical,
			summary:  "{{ $labels.instance }} has seen no block for {{ $value | humanizeDuration }}",
			cause:    "The endpoints have stopped, or the chain has.",
			remedy:   "Look at the provider's status page; add one of another provider.", code: fault.ChainStale},
		{name: "TuttiRoundsStand",
			expr: `tutti_chain_layer1_block - tutti_round_end_layer1_block > 300 or (tutti_round_initialized == 0 and on ` +
				`(instance, job) changes(tutti_round[2h]) == 0)`,
			lasts: 10 * time.Minute, severity: fault.Warning,
			summary: "rounds do not advance, as {{ $labels.instance }} sees it",
			cause:   "The round is not initialized. Until it is, no tickets are accepted and no rewards are called.",
			remedy:  "Start a process with -initializeRound, or call it once with tutti_cli.", code: fault.RoundNotInitialized},
		{name: "TuttiRewardLost", expr: `increase(tutti_reward_rounds_total{outcome="missed"}[1h]) > 0`,
			severity: fault.Critical,
			summary:  "{{ $labels.instance }} has missed a round's reward",
			cause:    "A round ended without its reward call; what it would have brought is lost.",
			remedy:   "The node's log has the reason; see to money for gas and to the endpoints before this round ends.",
			code:     fault.RewardMissed},
		{name: "TuttiRewardLate", expr: `tutti_active == 1 and tutti_last_reward_round < tutti_round and ` +
			`tutti_round_end_layer1_block - tutti_chain_layer1_block < 1500`,
			severity: fault.Critical, summary: "{{ $labels.instance }} has not called reward, and the round ends soon",
			cause:  "Less than a quarter of the round is left and its reward has not been called.",
			remedy: "tutti_cli reward says what it waits for, and calls it.", code: fault.RewardFailing},
		{name: "TuttiPlaceLow", expr: `tutti_active == 1 and tutti_pool_members >= tutti_pool_size and tutti_pool_rank > ` +
			`tutti_pool_size - 3`,
			lasts: 30 * time.Minute, severity: fault.Warning,
			summary: "{{ $labels.instance }} is about to be pushed out of the active set",
			cause:   "An orchestrator with a little more stake takes its rank.",
			remedy:  "Get more stake delegated.", code: fault.LeavingActiveSet},
	}
}

// moneyRules returns about what is earned and spent.
func moneyRules() []rule {
	return []rule{
		{name: "TuttiBalanceLow", expr: `tutti_native_balance_gwei < 2e6`, lasts: 10 * time.Minute, severity: fault.Warning,
			summary: "the account of {{ $labels.instance }} has {{ $value }} gwei",
			cause:   "Less than 0.002 ETH is left for redeeming tickets and calling reward.",
			remedy:  "Send some to the account on layer 2.", code: fault.GasMoneyMissing},
		{name: "TuttiBalanceEmpty", expr: `tutti_native_balance_gwei < 2e5`, severity: fault.Critical,
			summary: "the account of {{ $labels.instance }} is all but empty",
			cause:   "Less than 0.0002 ETH is left: transactions will fail, and rewards and tickets be lost.",
			remedy:  "Send some to the account on layer 2 now.", code: fault.GasMoneyMissing},
		{name: "TuttiRedemptionErrors",
			expr:     `sum by (instance, job, code) (increase(tutti_ticket_redemption_errors_total[30m])) > 3`,
			severity: fault.Warning,
			summary:  "{{ $labels.instance }} cannot redeem tickets ({{ $labels.code }})",
			cause:    "Attempts at redeeming winning tickets fail one after another.",
			remedy:   "`tutti help` with the code says what to do.", code: fault.RedemptionFailing},
		{name: "TuttiTicketsExpire",
			expr: `tutti_winning_tickets_expiring_gwei > 0 and on (instance, job) tutti_round_end_layer1_block - ` +
				`tutti_chain_layer1_block < 1500`, severity: fault.Critical,
			summary: "{{ $labels.instance }} loses winning tickets when this round ends",
			cause:   "Winning tickets are not redeemed, and this is the last round in which they can be.",
			remedy:  "See to money for gas and to -maxGasPrice, then retry them with tutti_cli.", code: fault.TicketExpiring},
		{name: "TuttiTicketsWait", expr: `tutti_winning_tickets{state=~"won|queued"} > 20`, lasts: 30 * time.Minute,
			severity: fault.Warning,
			summary:  "{{ $value }} winning tickets of {{ $labels.instance }} wait to be redeemed",
			cause:    "Redeeming does not keep up, or gas costs more than a ticket is worth.",
			remedy:   "Look at tutti_ticket_redemption_errors_total and at the price of gas.", code: fault.RedeemTooDear},
		{name: "TuttiPaymentErrors",
			expr: `sum by (instance, job, error_code) (rate(livepeer_payment_recv_errors[15m])) > 0.1`, lasts: 15 * time.Minute,
			severity: fault.Warning,
			summary:  "{{ $labels.instance }} does not accept payments ({{ $labels.error_code }})",
			cause:    "Gateways' tickets are refused more than once in ten seconds.",
			remedy:   "If it concerns all gateways, check the endpoints: an old view of the chain makes good tickets look bad."},
	}
}
