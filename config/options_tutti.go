package config

func tuttiRows() []option {
	return []option{
		{name: "tlsCert", mark: "T", roles: orchestrator, unset: "a self-signed one kept in the data directory",
			help: "PEM file of the public listener's certificate; needs -tlsKey",
			to:   func(c *Config) value { return path(&c.TLS.Cert) }},
		{name: "workerCA", mark: "T", roles: orchestrator, unset: "no certificates are asked of workers",
			help: "PEM file of the authorities that remote workers' certificates must come from, besides the secret",
			to:   func(c *Config) value { return text(&c.TLS.WorkerCA) }},
		{name: "orchCA", mark: "T", roles: transcoder | aiWorker,
			unset: "any certificate, as in the existing network",
			help: "PEM file of the authorities, or the certificate itself, that a remote worker's orchestrator " +
				"must show",
			to: func(c *Config) value { return text(&c.TLS.OrchCA) }},
		{name: "redeemerCA", mark: "T", roles: orchestrator, unset: "any certificate, as in the existing network",
			help: "PEM file of the authorities, or the certificate itself, that the redeemer of -redeemerAddr " +
				"must show",
			to: func(c *Config) value { return text(&c.TLS.RedeemerCA) }},
		{name: "workerCert", mark: "T", roles: transcoder | aiWorker,
			help: "PEM file of the certificate that a remote worker shows; needs -workerKey",
			to:   func(c *Config) value { return text(&c.TLS.WorkerCert) }},
		{name: "workerKey", mark: "T", roles: transcoder | aiWorker, help: "PEM file of that certificate's key",
			to: func(c *Config) value { return text(&c.TLS.WorkerKey) }},
		{name: "tlsKey", mark: "T", roles: orchestrator, unset: "as -tlsCert",
			help: "PEM file of the certificate's key",
			to:   func(c *Config) value { return path(&c.TLS.Key) }},
		{name: "gatewayAddr", mark: "T", roles: gateway, unset: "127.0.0.1:9935",
			help: "listening address of the gateway; -httpAddr then belongs to the orchestrator",
			to:   func(c *Config) value { return listening(&c.Addresses.gatewayAddr, "127.0.0.1:9935") }},
		{name: "streamAccess", mark: "T", roles: gateway, preset: "auto",
			help: "what pushes, playlists and segments of streams need: auto (nothing on the gateway's own " +
				"machine, an API key or a signed address elsewhere), open (nothing anywhere), keys (a key or a " +
				"signed address everywhere)",
			to: func(c *Config) value { return choice(&c.Gateway.StreamAccess, "auto", "open", "keys") }},
		{name: "gatewayHosts", mark: "T", roles: gateway,
			help: "further names that requests without an API key may call the gateway by, besides its address " +
				"and localhost",
			to: func(c *Config) value { return hostNames(&c.Gateway.Hosts) }},
		{name: "encoderPreset", mark: "T", roles: transcoder, preset: "veryfast",
			help: "x264 preset: ultrafast, superfast, veryfast, faster, fast, medium, slow, slower or veryslow",
			to: func(c *Config) value {
				return choice(&c.Transcoding.EncoderPreset, "ultrafast", "superfast", "veryfast", "faster", "fast",
					"medium", "slow", "slower", "veryslow")
			}},
		{name: "workerMemory", mark: "T", roles: transcoder, preset: "auto",
			help: "most memory of one media worker, such as 2GB; auto takes three quarters of what the node may " +
				"use, 0 sets no bound",
			to: func(c *Config) value {
				return typed(&c.Transcoding.WorkerMemory, "size or auto", "2GB", pure(ParseMemoryLimit))
			}},
		{name: "resultMemory", mark: "T", roles: orchestrator, preset: "256MB",
			help: "most memory for renditions that wait for their download",
			to:   func(c *Config) value { return size(&c.Limits.ResultMemory, 1_000_000) }},
		{name: "maxConnections", mark: "T", roles: orchestrator | gateway, preset: "16384",
			help: "connections of a public listener, 0 for as many as the limit of open files allows; never more " +
				"than that",
			to: func(c *Config) value { return whole(&c.Limits.MaxConnections, 0, 1_000_000) }},
		{name: "maxConnectionsPerAddress", mark: "T", roles: orchestrator | gateway, preset: "32",
			help: "connections of one address (an IPv6 address counts by its /64) served at once before valid " +
				"credentials came from it; its bytes and requests are bounded in proportion, and those of its " +
				"network, a /48 or an IPv4 /24, by 4 or 16 times as much; 0 for no bound",
			to: func(c *Config) value { return whole(&c.Limits.PerAddress, 0, 1_000_000) }},
		{name: "knownPeers", mark: "T", roles: orchestrator | gateway | router,
			help: "addresses and networks, separated by commas, that are bounded as if valid credentials had come " +
				"from them: at an orchestrator its operator's routers, at a router its operator's gateways",
			to: func(c *Config) value { return networks(&c.Limits.KnownPeers) }},
		{name: "objectStoreNetworks", mark: "T", roles: orchestrator | gateway | transcoder | aiWorker,
			help: "private addresses and networks, separated by commas, from which an orchestrator may fetch the " +
				"segments that gateways keep in object stores, a gateway the renditions that orchestrators keep " +
				"there, and a remote worker what an orchestrator at a public address has in one; public addresses " +
				"need no entry",
			to: func(c *Config) value { return networks(&c.Storage.ObjectStoreNetworks) }},
		{name: "publicIPLookup", mark: "T", roles: orchestrator, onchain: true, preset: "https://api.ipify.org",
			help: "service that answers with the public IP address, which is compared with the registered one; " +
				"none disables the look-up",
			to: func(c *Config) value { return text(&c.Addresses.PublicIPLookup) }},
		{name: "adminSocket", mark: "T",
			help: "Unix socket that serves the admin API instead of -cliAddr; the file's permissions control access",
			to:   func(c *Config) value { return path(&c.Addresses.AdminSocket) }},
		{name: "adminToken", mark: "T", unset: "admin.token in the data directory, made at the first start",
			help: "token that changes through the admin API need, or the path of a file that holds it: at least " +
				"64 letters and digits",
			to: func(c *Config) value {
				return hidden(&c.Monitoring.AdminToken, "secret or path", "/path/to/token", readSecret)
			}},
		{name: "adminProfiling", mark: "T", help: "serve Go's profiles under /debug/pprof/ on the admin API",
			to: func(c *Config) value { return boolean(&c.Monitoring.Profiling) }},
		{name: "alert", mark: "T",
			help: "where alerts of lasting conditions are sent: https://… (webhook), slack+https://…, " +
				"discord+https://…, ntfy+https://… or exec:/path, several between commas; " +
				"or a file with one per line",
			to: func(c *Config) value {
				return hidden(&c.Monitoring.AlertSinks, "address, list or path", "exec:/path/to/program", readSecret)
			}},
		{name: "alertAfter", mark: "T", preset: "30s", help: "how long a condition must last before an alert is sent",
			to: func(c *Config) value { return duration(&c.Monitoring.AlertAfter, 0) }},
		{name: "otlpEndpoint", mark: "T", unset: "no traces are recorded",
			help: "OpenTelemetry collector that gets the node's spans by OTLP over HTTP",
			to:   func(c *Config) value { return hiddenURL(&c.Monitoring.Traces.Endpoint, "https", "http") }},
		{name: "traceRatio", mark: "T", preset: "1",
			help: "share of traces that are recorded, from 0 to 1; needs -otlpEndpoint",
			to:   func(c *Config) value { return fraction(&c.Monitoring.Traces.Ratio, 1) }},
		{name: "traceTrust", mark: "T", unset: "no sender decides, -traceRatio does",
			help: "senders whose sampled flag in traceparent decides instead of -traceRatio, separated by commas: " +
				"accounts of gateways at an orchestrator, keys (clients with a valid API key at a gateway), all (every sender)",
			to: func(c *Config) value { return traceTrust(&c.Monitoring.Traces.Trust) }},
		{name: "store", mark: "T", roles: orchestrator | redeemer, onchain: true,
			unset: "tutti.db in the data directory",
			help: "PostgreSQL database of the ledger, shared by several orchestrators with one recipient: " +
				"postgres://user:password@host/name, or a file that holds it",
			to: func(c *Config) value { return hidden(&c.Storage.Store, "URL or path", "/path/to/store", readSecret) }},
		{name: "moveFrom", mark: "T", preset: "auto",
			help: "data directory of the existing node to take keys and unredeemed tickets over from, which is " +
				"only read: a path, none, or auto for ~/.lpData/<network>",
			to: func(c *Config) value { return path(&c.Storage.MoveFrom) }},
		{name: "drainTimeout", mark: "T", preset: "30s", help: "how long a stop waits for work in progress",
			to: func(c *Config) value { return duration(&c.Limits.DrainTimeout, 0) }},
		{name: "upgradeAnswers", mark: "T", roles: gateway, preset: "10m",
			help: "how long model answers of a gateway may go on in the old process of an upgrade",
			to:   func(c *Config) value { return duration(&c.Limits.UpgradeAnswers, 0) }},
	}
}
