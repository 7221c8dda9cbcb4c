package fault

// Codes of what a node reports to the operator's other services, and gets from them.
const (
	// EventsLost (class Upstream, retryable): messages for the operator's broker are dropped.
	EventsLost Code = "EventsLost"
	// TracesLost (class Upstream, retryable): spans for the operator's collector are dropped.
	TracesLost Code = "TracesLost"
	// PerfScoresUnavailable (class Upstream, retryable): the service that scores orchestrators gives no scores.
	PerfScoresUnavailable Code = "PerfScoresUnavailable"
	// PerfScoresOverruled (class Upstream): a service's scores would leave the gateway without an orchestrator.
	PerfScoresOverruled Code = "PerfScoresOverruled"
)

// eventRows are the conditions of event streams, traces and performance scores. Read-only.
var eventRows = []Row{
	{
		Code: EventsLost, Class: Upstream,
		Cause: "A message broker does not take this node's events (`kafka`) or reports of segments (`amqp`) as fast as " +
			"they come, refuses them, or cannot be reached. What does not fit into the queue is dropped; work goes on.",
		Remedy: "Check the address, topic or exchange, user and password in the options, and that the broker is up: " +
			"`-kafkaBootstrapServers` and `-kafkaGatewayTopic`, or `-metadataQueueUri` and `-metadataAmqpExchange`. " +
			"`livepeer_kafka_event_send_errors` and `tutti_metadata_lost_total` count what is lost.",
		Retryable: true,
	},
	{
		Code: TracesLost, Class: Upstream,
		Cause: "The collector at `-otlpEndpoint` does not take this node's spans as fast as they come, refuses them, or " +
			"cannot be reached. What does not fit into the queue is dropped; requests go on.",
		Remedy: "Check that the collector is up and takes OTLP over HTTP at this address: `curl -i -X POST -H " +
			"'Content-Type: application/x-protobuf' ADDRESS/v1/traces` must answer with status 200. A collector that wants " +
			"a key gets it from `OTEL_EXPORTER_OTLP_HEADERS`. Lower `-traceRatio` where it is too slow. " +
			"`tutti_trace_spans_total` counts what is lost.",
		Retryable: true,
	},
	{
		Code: PerfScoresUnavailable, Class: Upstream,
		Cause: "The service at `-orchPerfStatsUrl` does not answer, or its answer has no scores. The last scores are used " +
			"for a day, then the gateway's own measurements alone.",
		Remedy: "Open the address with curl: it must answer within 10 seconds with status 200 and JSON of orchestrators, " +
			"their regions and a `score` from 0 to 1. Check `-region`, which must be one of these regions.",
		Retryable: true,
	},
	{
		Code: PerfScoresOverruled, Class: Upstream,
		Cause: "By the scores of the service at `-orchPerfStatsUrl` every orchestrator that could be used is below " +
			"`-minPerfScore`. The gateway goes by its own measurements instead, so that work goes on.",
		Remedy: "Lower `-minPerfScore`, or check what the service measures and whether `-region` is the right one.",
	},
}
