package config

// idle is what an option needs to have an effect, "" where nothing is missing. It is no problem: the existing node
// starts too.
func (l *loader) idle(name string) string {
	m := &l.config.Monitoring
	switch name {
	case "kafkaBootstrapServers":
		switch {
		case m.KafkaTopic == "":
			return "-kafkaGatewayTopic"
		case !m.Enabled:
			return "-monitor"
		}
	case "kafkaGatewayTopic":
		if len(m.KafkaServers) == 0 {
			return "-kafkaBootstrapServers"
		}
	case "kafkaUser":
		if m.KafkaPassword.IsZero() {
			return "-kafkaPassword"
		}
	case "kafkaPassword":
		if m.KafkaUser == "" {
			return "-kafkaUser"
		}
	case "region":
		if l.config.Selection.PerfStats.IsZero() {
			return "-orchPerfStatsUrl"
		}
	case "orchPerfStatsUrl":
		if l.config.Selection.MinPerfScore == 0 {
			return "-minPerfScore"
		}
	case "metadataAmqpExchange", "metadataPublishTimeout":
		if l.config.Gateway.MetadataQueue.IsZero() {
			return "-metadataQueueUri"
		}
	case "traceRatio", "traceTrust":
		if m.Traces.Endpoint.IsZero() {
			return "-otlpEndpoint"
		}
	case "metricsClientIP":
		if !m.Enabled {
			return "-monitor"
		}
	}
	return ""
}
