package main

import (
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// nodeRules returns about the process and its machine.
func nodeRules() []rule {
	return []rule{
		{name: "TuttiDown", expr: `up{job=~".*tutti.*"} == 0`, lasts: 2 * time.Minute, severity: fault.Critical,
			summary: "{{ $labels.instance }} does not answer", cause: "Prometheus cannot read the node's metrics: the " +
				"process has ended, or -monitor or -cliAddr has changed.",
			remedy: "Look at the service's state and its log; start it again."},
		{name: "TuttiRestarting", expr: `changes(process_start_time_seconds{job=~".*tutti.*"}[1h]) > 3`,
			severity: fault.Warning,
			summary:  "{{ $labels.instance }} starts again and again",
			cause:    "The process was started more than three times within an hour.",
			remedy:   "The last lines of its log before each start say why it ended."},
		{name: "TuttiNotReady", expr: `tutti_ready == 0 and tutti_draining == 0`, lasts: 5 * time.Minute,
			severity: fault.Critical,
			summary:  "{{ $labels.instance }} cannot take work",
			cause:    "A listener, a device or the chain is missing, so the node takes nothing.",
			remedy:   "GET /-/ready on the admin port says what is missing."},
		{name: "TuttiDraining", expr: `tutti_draining == 1`, lasts: time.Hour, severity: fault.Warning,
			summary: "{{ $labels.instance }} has been draining for an hour",
			cause:   "The node takes nothing new, and was neither stopped nor resumed.",
			remedy:  "Stop it, or let it take work again with tutti_cli drain."},
		{name: "TuttiReloadFailed", expr: `tutti_config_last_reload_successful == 0`, severity: fault.Warning,
			summary: "{{ $labels.instance }} runs with an old configuration",
			cause:   "The configuration that was read last has mistakes, and the one before stays in force.",
			remedy:  "Run `tutti config check`, correct what it names, and reload."},
		{name: "TuttiDiskFilling", expr: `predict_linear(tutti_data_dir_free_bytes[6h], 86400) < 0`, lasts: 30 * time.Minute,
			severity: fault.Warning,
			summary:  "the data directory of {{ $labels.instance }} is full within a day",
			cause: "At the pace of the last hours nothing is left tomorrow. Without disk space for its books a node takes no " +
				"payments.",
			remedy: "Free space, or move the data directory to a larger disk."},
		{name: "TuttiDiskLow", expr: `tutti_data_dir_free_bytes < 1e9 or tutti_data_dir_free_bytes / ` +
			`tutti_data_dir_size_bytes < 0.02`, lasts: 5 * time.Minute, severity: fault.Critical,
			summary: "the data directory of {{ $labels.instance }} is all but full",
			cause:   "Less than a gigabyte, or 2 %, is left. Without disk space for its books a node takes no payments.",
			remedy:  "Free space at once: delete old logs and unused models and runner images."},
		{name: "TuttiCertificateExpiring", expr: `tutti_certificate_expiry_timestamp_seconds - time() < 14 * 86400`,
			lasts: time.Hour, severity: fault.Warning,
			summary: "the certificate of {{ $labels.instance }} ends in {{ $value | humanizeDuration }}",
			cause:   "The certificate of -tlsCert is about to expire.",
			remedy:  "Renew it; the node takes the new file by itself within a minute."},
		{name: "TuttiCertificateExpired", expr: `tutti_certificate_expiry_timestamp_seconds - time() < 86400`,
			severity: fault.Critical,
			summary:  "the certificate of {{ $labels.instance }} ends within a day, or has ended",
			cause:    "The certificate of -tlsCert was not renewed in time.",
			remedy:   "Renew it; the node takes the new file by itself within a minute."},
		{name: "TuttiConnectionsFull", expr: `tutti_listener_connections / tutti_listener_connections_limit > 0.9`,
			lasts: 10 * time.Minute, severity: fault.Warning,
			summary: "{{ $labels.instance }} has nearly all the connections that it may have",
			cause:   "Past the limit, connections that do nothing are closed to make room for new ones.",
			remedy:  "Raise -maxConnections and the limit of open files, or find the addresses that open so many."},
		{name: "TuttiFilesFull", expr: `process_open_fds{job=~".*tutti.*"} / process_max_fds{job=~".*tutti.*"} > 0.8`,
			lasts: 10 * time.Minute, severity: fault.Warning,
			summary: "{{ $labels.instance }} has nearly all the files open that it may have",
			cause:   "The process is near its limit of open files and connections.",
			remedy:  "Raise LimitNOFILE in the unit file."},
	}
}

// workRules returns about segments and the workers that transcode them.
func workRules() []rule {
	return []rule{
		{name: "TuttiNoWork", expr: `tutti_active == 1 and on (instance, job) sum by (instance, job) ` +
			`(increase(tutti_requests_total{kind=~"segment|job",code="ok"}[1h])) == 0`,
			lasts: 15 * time.Minute, severity: fault.Warning,
			summary: "{{ $labels.instance }} is active and has had no job for an hour",
			cause:   "Gateways do not come, or are refused.",
			remedy:  "Run `tutti doctor explain` alongside the node: it names the reasons in order of weight."},
		{name: "TuttiNotAsked", expr: `tutti_active == 1 and on (instance, job) sum by (instance, job) ` +
			`(increase(tutti_requests_total{kind=~"transcoding_offer|ai_offer"}[6h])) == 0`,
			lasts: time.Hour, severity: fault.Warning,
			summary: "no gateway has asked {{ $labels.instance }} for an offer in six hours",
			cause:   "Gateways do not know the node's address or cannot reach it.",
			remedy: "Compare the registered service address with where the node is, and look whether the port is open from " +
				"outside."},
		{name: "TuttiSegmentsFail",
			expr: `sum by (instance, job) (rate(livepeer_segment_transcode_failed_total[10m])) / sum by (instance, job) ` +
				`(rate({__name__=~"livepeer_segment_transcode_failed_total|livepeer_segment_transcoded_total"}[10m])) > 0.05`,
			lasts: 10 * time.Minute, severity: fault.Critical,
			summary: "{{ $value | humanizePercentage }} of the segments of {{ $labels.instance }} fail",
			cause:   "More than one in twenty segments had no result; gateways go elsewhere after that.",
			remedy:  "The label error_code says why; `tutti help` explains each code."},
		{name: "TuttiRefusals", expr: `sum by (instance, job) (rate(tutti_requests_total{code!="ok"}[15m])) / sum by ` +
			`(instance, job) (rate(tutti_requests_total[15m])) > 0.5`,
			lasts: 15 * time.Minute, severity: fault.Warning,
			summary: "{{ $labels.instance }} refuses {{ $value | humanizePercentage }} of its requests",
			cause:   "More than half of the offers, segments and jobs that gateways asked for were refused.",
			remedy:  "The label code of tutti_requests_total says why; so does `tutti doctor explain`."},
		{name: "TuttiSlow", expr: `sum by (instance, job) (rate(livepeer_transcode_score_bucket{le=~"1|1.0"}[10m])) / sum ` +
			`by (instance, job) (rate(livepeer_transcode_score_count[10m])) > 0.1`,
			lasts: 10 * time.Minute, severity: fault.Warning, summary: "{{ $labels.instance }} is slower than real time for " +
				"{{ $value | humanizePercentage }} of its segments",
			cause:  "Segments take longer than they play: there are more sessions than the devices can do.",
			remedy: "Lower -maxSessions, or find out what else uses the machine."},
		{name: "TuttiOverhead", expr: `histogram_quantile(0.95, sum by (instance, job, le) ` +
			`(rate(tutti_segment_overhead_seconds_bucket[10m]))) > 0.25`,
			lasts: 15 * time.Minute, severity: fault.Warning,
			summary: "{{ $labels.instance }} takes {{ $value | humanizeDuration }} for itself per segment",
			cause:   "What is neither codecs nor waiting takes long: the machine has too little CPU time or memory.",
			remedy:  "Look at the machine's load and whether it swaps."},
		{name: "TuttiSessionsFull",
			expr: `sum by (instance, job, node_type) (livepeer_current_sessions_total) / (sum by (instance, job, node_type) ` +
				`(livepeer_max_sessions_total) > 0) >= 1`,
			lasts: 15 * time.Minute, severity: fault.Warning,
			summary: "{{ $labels.instance }} has been full for a quarter of an hour",
			cause:   "All sessions are in use, so that new gateways are refused.",
			remedy:  "Raise -maxSessions if the devices have free capacity, or add devices.", code: fault.OrchestratorCapped},
		{name: "TuttiTranscoderLost", expr: `livepeer_transcoders_number < max_over_time(livepeer_transcoders_number[1h])`,
			lasts: 5 * time.Minute, severity: fault.Warning,
			summary: "{{ $labels.instance }} has fewer transcoders than within the last hour",
			cause:   "A transcoder on another machine has left, or a device was taken out.",
			remedy:  "tutti_cli worker list shows the connected workers; read the log of the missing one.",
			code:    fault.RemoteWorkerLost},
		{name: "TuttiWorkerRestarts",
			expr: `sum by (instance, job, device) (increase(tutti_worker_restarts_total[15m])) > 3`, severity: fault.Warning,
			summary: "the media worker of {{ $labels.device }} on {{ $labels.instance }} is replaced again and again",
			cause:   "The process that does the media work ended more than three times in a quarter of an hour.",
			remedy:  "The label code says why; check the driver and the GPU's temperature.", code: fault.WorkerCrashed},
		{name: "TuttiWorkersRefused", expr: `sum by (instance, job, code) (increase(tutti_workers_refused_total[15m])) > 5`,
			severity: fault.Warning,
			summary:  "{{ $labels.instance }} turns workers away ({{ $labels.code }})",
			cause:    "A program tries to register as a worker with a wrong secret, or one of your workers is outdated.",
			remedy:   "Compare -orchSecret on both sides; if none of your workers is missing, a stranger tries."},
		{name: "TuttiGPUHot", expr: `tutti_gpu_temperature_celsius > 88`, lasts: 10 * time.Minute, severity: fault.Warning,
			summary: "GPU {{ $labels.gpu }} of {{ $labels.instance }} has {{ $value }} °C",
			cause:   "The GPU is near the temperature at which it slows itself down.",
			remedy:  "Check fans, dust and the air around the machine.", code: fault.GPUThrottled},
		{name: "TuttiGPUMemoryFull", expr: `tutti_gpu_memory_used_bytes / tutti_gpu_memory_total_bytes > 0.97`,
			lasts: 10 * time.Minute, severity: fault.Warning,
			summary: "the memory of GPU {{ $labels.gpu }} of {{ $labels.instance }} is all but full",
			cause:   "New sessions and models find no capacity on the GPU.",
			remedy:  "Lower -maxSessions, keep fewer models warm, or end other programs on the GPU.",
			code:    fault.GPUMemoryTaken},
		{name: "TuttiGatewayFails",
			expr: `livepeer_success_rate < 0.9 and on (instance, job, node_type) sum by (instance, job, node_type) ` +
				`(rate(livepeer_segment_source_emerged_total[10m])) > 0`, lasts: 10 * time.Minute, severity: fault.Critical,
			summary: "the gateway {{ $labels.instance }} has {{ $value | humanizePercentage }} of its segments transcoded",
			cause:   "Orchestrators fail or are too slow, or none is left that is good enough.",
			remedy:  "livepeer_discovery_errors_total and livepeer_segment_transcode_failed_total say why."},
	}
}
