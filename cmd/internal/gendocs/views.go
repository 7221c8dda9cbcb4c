package main

import "strings"

// row is panels that belong together.
type row struct {
	title string
	views []view
}

// view is one panel: expressions with their legends, in which NODE stands for the
// selection of nodes.
type view struct {
	kind, title, unit, about string
	lines                    []line
}

type line struct{ expr, legend string }

// size returns the panel's width and height in the grid.
func (v *view) size() (w, h int) {
	switch v.kind {
	case stat:
		return 4, 4
	case table:
		return 24, 7
	}
	return 8, 8
}

func (v *view) panel() panel {
	p := panel{Type: v.kind, Title: v.title, Description: v.about, Datasource: &source,
		FieldConfig: &fields{Defaults: defaults{Unit: v.unit}, Overrides: []any{}}}
	for i, l := range v.lines {
		t := target{
			RefID: string(rune('A' + i)), Datasource: &source, LegendFormat: l.legend,
			Expr: strings.ReplaceAll(l.expr, "NODE", `instance=~"$instance"`),
		}
		if v.kind == table {
			t.Instant, t.Format = true, "table"
		}
		p.Targets = append(p.Targets, t)
	}
	switch v.kind {
	case stat:
		p.Options = &options{ReduceOptions: &reduce{Calcs: []string{"lastNotNull"}}}
	case graph:
		zero := 0.0
		p.FieldConfig.Defaults.Min = &zero
		p.Options = &options{Legend: &legend{DisplayMode: "list", Placement: "bottom", ShowLegend: true}}
	}
	return p
}

func one(kind, title, unit, expr, legend string) view {
	return view{kind: kind, title: title, unit: unit, lines: []line{{expr, legend}}}
}

func several(title, unit string, lines ...line) view {
	return view{kind: graph, title: title, unit: unit, lines: lines}
}

// rows returns the dashboard, what an operator looks at first at the top.
func rows() []row {
	return []row{
		{"Gates", []view{
			one(stat, "Ready", "bool_yes_no", `tutti_ready{NODE}`, "{{instance}}"),
			one(stat, "Active", "bool_yes_no", `tutti_active{NODE}`, "{{instance}}"),
			one(stat, "Rank in the pool", "none", `tutti_pool_rank{NODE}`, "{{instance}}"),
			one(stat, "Endpoints that serve", "none", `sum by (instance) (tutti_rpc_up{NODE})`, "{{instance}}"),
			one(stat, "Balance", "none", `tutti_native_balance_gwei{NODE} / 1e9`, "{{instance}} ETH"),
			one(stat, "Conditions", "none", `sum by (instance) (tutti_condition{NODE}) or 0 * tutti_ready{NODE}`,
				"{{instance}}"),
			one(table, "Conditions that hold", "none", `tutti_condition{NODE}`, ""),
		}},
		{"Work", []view{
			several("Sessions", "none", line{`livepeer_current_sessions_total{NODE}`, "in use {{instance}}"},
				line{`livepeer_max_sessions_total{NODE}`, "limit {{instance}}"}),
			one(graph, "Segments", "ops", `sum by (instance) (rate(livepeer_segment_transcoded_total{NODE}[5m]))`,
				"{{instance}}"),
			one(graph, "Segments that failed", "ops",
				`sum by (instance, error_code) (rate(livepeer_segment_transcode_failed_total{NODE}[5m]))`,
				"{{error_code}} {{instance}}"),
			one(graph, "Answers to gateways", "ops", `sum by (kind, code) (rate(tutti_requests_total{NODE}[5m]))`,
				"{{kind}} {{code}}"),
			several("Time for a segment", "s",
				line{`histogram_quantile(0.5, sum by (le) (rate(livepeer_transcode_time_seconds_bucket{NODE}[5m])))`, "half"},
				line{`histogram_quantile(0.95, sum by (le) (rate(livepeer_transcode_time_seconds_bucket{NODE}[5m])))`, "95 %"},
				line{`histogram_quantile(0.95, sum by (le) (rate(tutti_segment_overhead_seconds_bucket{NODE}[5m])))`,
					"our own, 95 %"}),
			one(graph, "Pixels", "none", `sum by (instance) (rate(livepeer_mil_pixels_processed{NODE}[5m]))`,
				"millions a second {{instance}}"),
			several("Transcoders elsewhere", "none", line{`livepeer_transcoders_number{NODE}`, "connected"},
				line{`livepeer_transcoders_load{NODE}`, "sessions"}, line{`livepeer_transcoders_capacity{NODE}`, "room"}),
			one(graph, "Media workers replaced", "none",
				`sum by (instance, device, code) (increase(tutti_worker_restarts_total{NODE}[15m]))`, "{{device}} {{code}}"),
			one(graph, "Workers turned away", "none",
				`sum by (instance, kind, code) (increase(tutti_workers_refused_total{NODE}[15m]))`, "{{kind}} {{code}}"),
		}},
		{"GPUs", []view{
			one(graph, "Load", "percentunit", `tutti_gpu_load_ratio{NODE}`, "{{instance}} {{gpu}}"),
			several("Encoder and decoder", "percentunit", line{`tutti_gpu_encoder_load_ratio{NODE}`, "encoder {{gpu}}"},
				line{`tutti_gpu_decoder_load_ratio{NODE}`, "decoder {{gpu}}"}),
			several("Memory", "bytes", line{`tutti_gpu_memory_used_bytes{NODE}`, "used {{gpu}}"},
				line{`tutti_gpu_memory_foreign_bytes{NODE}`, "others' {{gpu}}"},
				line{`tutti_gpu_memory_total_bytes{NODE}`, "all {{gpu}}"}),
			one(graph, "Temperature", "celsius", `tutti_gpu_temperature_celsius{NODE}`, "{{instance}} {{gpu}}"),
			one(graph, "Encoders open", "none", `tutti_gpu_encoder_sessions{NODE}`, "{{instance}} {{gpu}}"),
			one(graph, "Slowed down", "none", `tutti_gpu_throttled{NODE}`, "{{gpu}} {{reason}}"),
		}},
		{"AI", []view{
			one(graph, "Jobs", "ops", `sum by (model_name, status) (rate(tutti_ai_requests_total{NODE}[5m]))`,
				"{{model_name}} {{status}}"),
			one(graph, "Tokens", "none", `sum by (model_name, kind) (rate(tutti_ai_tokens_total{NODE}[5m]))`,
				"{{model_name}} {{kind}} a second"),
			several("First token", "s",
				line{`histogram_quantile(0.5, sum by (le, model_name) (rate(tutti_ai_first_token_seconds_bucket{NODE}[5m])))`,
					"half {{model_name}}"},
				line{`histogram_quantile(0.95, sum by (le, model_name) (rate(tutti_ai_first_token_seconds_bucket{NODE}[5m])))`,
					"95 % {{model_name}}"}),
			several("Places", "none", line{`livepeer_ai_container_in_use{NODE}`, "in use {{model_name}}"},
				line{`livepeer_ai_container_idle{NODE}`, "idle {{model_name}}"},
				line{`tutti_ai_waiting{NODE}`, "waiting {{model_name}}"}),
			one(graph, "Models' states", "none", `tutti_ai_model_state{NODE}`, "{{model_name}} {{state}}"),
			one(graph, "Our own time, 95 %", "s",
				`histogram_quantile(0.95, sum by (le, model_name) (rate(tutti_ai_overhead_seconds_bucket{NODE}[5m])))`,
				"{{model_name}}"),
		}},
		{"Money", []view{
			one(graph, "Balance", "none", `tutti_native_balance_gwei{NODE} / 1e9`, "{{instance}} ETH"),
			one(graph, "Tickets' value", "none", `sum by (instance) (rate(livepeer_ticket_value_recv{NODE}[1h])) * 3600`,
				"gwei an hour {{instance}}"),
			several("Winning tickets", "none", line{`tutti_winning_tickets_waiting_gwei{NODE}`, "gwei waiting"},
				line{`tutti_winning_tickets_expiring_gwei{NODE}`, "gwei lost with this round"}),
			one(graph, "Winning tickets by state", "none", `tutti_winning_tickets{NODE}`, "{{state}}"),
			one(graph, "Redemption errors", "none", `sum by (code) (increase(tutti_ticket_redemption_errors_total{NODE}[1h]))`,
				"{{code}}"),
			one(graph, "Price", "none", `livepeer_transcoding_price{NODE}`, "wei a pixel {{sender}}"),
		}},
		{"Chain", []view{
			one(stat, "Round", "none", `tutti_round{NODE}`, "{{instance}}"),
			one(stat, "Last reward", "none", `tutti_last_reward_round{NODE}`, "{{instance}}"),
			one(stat, "Blocks to the round's end", "none",
				`tutti_round_end_layer1_block{NODE} - tutti_chain_layer1_block{NODE}`, "{{instance}}"),
			one(stat, "Stake", "none", `tutti_stake_lpt{NODE}`, "{{instance}} LPT"),
			one(stat, "Above the last member", "none", `tutti_pool_margin_lpt{NODE}`, "{{instance}} LPT"),
			one(stat, "Rewards missed in a week", "none", `increase(tutti_reward_rounds_total{outcome="missed",NODE}[7d])`,
				"{{instance}}"),
			several("Endpoints' latency", "s", line{`tutti_rpc_latency_seconds{NODE}`, "{{endpoint}}"},
				line{`tutti_rpc_latency_p95_seconds{NODE}`, "95 % {{endpoint}}"}),
			one(graph, "Endpoints' errors", "percentunit", `tutti_rpc_error_ratio{NODE}`, "{{endpoint}}"),
			several("Endpoints' lag", "none", line{`tutti_rpc_lag_blocks{NODE}`, "blocks {{endpoint}}"},
				line{`time() - tutti_chain_head_timestamp_seconds{NODE}`, "age of the newest block {{instance}}"}),
		}},
		{"Node", []view{
			one(graph, "Memory", "bytes", `process_resident_memory_bytes{NODE}`, "{{instance}}"),
			one(graph, "Processor", "none", `rate(process_cpu_seconds_total{NODE}[5m])`, "cores {{instance}}"),
			several("Connections and files", "none", line{`tutti_listener_connections{NODE}`, "connections {{instance}}"},
				line{`process_open_fds{NODE}`, "files {{instance}}"}),
			one(graph, "Free disk", "bytes", `tutti_data_dir_free_bytes{NODE}`, "{{instance}}"),
			one(graph, "Certificate", "s", `tutti_certificate_expiry_timestamp_seconds{NODE} - time()`, "ends in {{instance}}"),
			one(table, "Versions", "none", `tutti_build_info{NODE}`, ""),
		}},
	}
}
