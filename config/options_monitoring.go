package config

func monitoringRows() []option {
	return []option{
		{name: "monitor", mark: "M", help: "serve /metrics on the admin port",
			to: func(c *Config) value { return boolean(&c.Monitoring.Enabled) }},
		{name: "metricsPerStream", mark: "M", help: "add labels for stream and sender to metrics",
			to: func(c *Config) value { return boolean(&c.Monitoring.PerStream) }},
		{name: "metricsClientIP", mark: "A", feature: featureClientIP,
			help: "add the label client_ip to metrics of what clients send; implies -metricsPerStream",
			to:   func(c *Config) value { return boolean(&c.Monitoring.ClientIP) }},
		{name: "kafkaBootstrapServers", mark: "A", roles: gateway | remoteSigner, feature: featureKafka,
			help: "Kafka brokers that get the node's events, host:port separated by commas; needs -monitor",
			to:   func(c *Config) value { return texts(&c.Monitoring.KafkaServers) }},
		{name: "kafkaUser", mark: "A", roles: gateway | remoteSigner, feature: featureKafka,
			help: "user at the brokers, for SASL PLAIN over TLS; without one the connection is plain",
			to:   func(c *Config) value { return text(&c.Monitoring.KafkaUser) }},
		{name: "kafkaPassword", mark: "A", roles: gateway | remoteSigner, feature: featureKafka,
			help: "password of that user",
			to:   func(c *Config) value { return literalSecret(&c.Monitoring.KafkaPassword) }},
		{name: "kafkaGatewayTopic", mark: "A", roles: gateway | remoteSigner, feature: featureKafka,
			help: "topic of the events",
			to:   func(c *Config) value { return text(&c.Monitoring.KafkaTopic) }},
		{name: "dataDir", aliases: []string{"datadir"}, mark: "M", unset: "$HOME/.tutti/<network>",
			help: "directory of the node's state",
			to:   func(c *Config) value { return path(&c.Storage.DataDir) }},
		{name: "objectStore", mark: "A", roles: orchestrator | gateway, feature: featureObjectStore,
			help: "URL of the object store, with its credentials",
			to:   func(c *Config) value { return hiddenURL(&c.Storage.ObjectStore) }},
		{name: "recordStore", mark: "G", roles: gateway, feature: featureRecordings,
			help: "URL of the store for recordings, with its credentials",
			to:   func(c *Config) value { return hiddenURL(&c.Storage.RecordStore) }},
	}
}
