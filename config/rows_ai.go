package config

import "time"

const aiRoles = orchestrator | aiWorker

func aiRows() []option {
	return []option{
		{name: "aiModels", mark: "B M", roles: aiRoles, feature: featureAI, help: "path of aiModels.json, or pipeline:model_id:warm,…",
			to: func(c *Config) value { return text(&c.AI.Models) }},
		{name: "aiModelsDir", mark: "M", roles: aiRoles, feature: featureAI, unset: "models in the data directory", help: "directory of model weights",
			to: func(c *Config) value { return path(&c.AI.ModelsDir) }},
		{name: "aiServiceRegistry", mark: "M", roles: aiRoles | gateway, feature: featureAI, help: "use the AI service registry on the chain",
			to: func(c *Config) value { return boolean(&c.AI.ServiceRegistry) }},
		{name: "aiRunnerImage", mark: "O", roles: aiRoles, preset: "livepeer/ai-runner:latest", feature: featureAI, help: "default runner image; -aiRunnerImageOverrides replaces it",
			to: func(c *Config) value { return text(&c.AI.RunnerImage) }},
		{name: "aiRunnerImageOverrides", mark: "M", roles: aiRoles, feature: featureAI, help: `runner images as JSON: {"default":…, "batch":{pipeline:image}, "live":{model:image}}`,
			to: func(c *Config) value {
				return typed(&c.AI.RunnerImageOverrides, "JSON", `{"default":"image:tag"}`, readInline)
			}},
		{name: "aiVerboseLogs", mark: "A", roles: aiRoles, feature: featureAI, help: "verbose logs of runners",
			to: func(c *Config) value { return boolean(&c.AI.VerboseLogs) }},
		{name: "aiProcessingRetryTimeout", mark: "G", roles: gateway, preset: "2s", feature: featureAI, help: "how long a request is tried again elsewhere",
			to: func(c *Config) value { return duration(&c.AI.RetryTimeout, 0) }},
		{name: "aiRunnerContainersPerGPU", mark: "M", roles: aiRoles, preset: "1", feature: featureAI, help: "runner containers per GPU",
			to: func(c *Config) value { return whole(&c.AI.ContainersPerGPU, 1, 100) }},
		{name: "aiMinRunnerVersion", mark: "A", roles: aiRoles, preset: "[]", feature: featureAI, help: "oldest runner version per pipeline and model, as JSON",
			to: func(c *Config) value { return typed(&c.AI.MinRunnerVersion, "JSON", "[]", readInline) }},
		{name: "aiServerless", mark: "A", roles: aiRoles, feature: featureLiveAI, help: "offer exactly one live model",
			to: func(c *Config) value { return boolean(&c.AI.Serverless) }},
		{name: "useLiveRunners", mark: "A", roles: aiRoles, feature: featureLiveAI, help: "let live runners register themselves",
			to: func(c *Config) value { return boolean(&c.LiveAI.UseRunners) }},
		{name: "liveRunnerConfig", mark: "A", roles: aiRoles, feature: featureLiveAI, help: "static list of live runners",
			to: func(c *Config) value { return path(&c.LiveAI.RunnerConfig) }},
		{name: "liveRunnerProxyUrl", mark: "A", roles: aiRoles, feature: featureLiveAI, help: "proxy in front of live runners",
			to: func(c *Config) value { return address(&c.LiveAI.RunnerProxy, "http", "https") }},
		{name: "liveRunnerAddr", mark: "A", roles: aiRoles, feature: featureLiveAI, help: "address where live runners register",
			to: func(c *Config) value { return text(&c.LiveAI.RunnerAddr) }},
		{name: "liveAITrickleHostForRunner", mark: "A", roles: aiRoles, feature: featureLiveAI, help: "host that runners use for trickle URLs",
			to: func(c *Config) value { return text(&c.LiveAI.TrickleHost) }},
		{name: "livePaymentInterval", mark: "A", roles: orchestrator | gateway, preset: "5s", feature: featureLiveAI, help: "how often live AI is paid for",
			to: func(c *Config) value { return duration(&c.LiveAI.PaymentInterval, time.Millisecond) }},
		{name: "liveOutSegmentTimeout", mark: "G", roles: gateway, preset: "0s", feature: featureLiveAI, help: "wait for output of live AI, 0 for none",
			to: func(c *Config) value { return duration(&c.LiveAI.OutSegmentTimeout, 0) }},
		{name: "liveAICapReportInterval", mark: "G", roles: gateway, preset: "25m", feature: featureLiveAI, help: "how often capacity is reported",
			to: func(c *Config) value { return duration(&c.LiveAI.CapReportInterval, time.Second) }},
		{name: "liveAICapRefreshModels", mark: "O", obsolete: "-liveAICapReportInterval replaces it; delete it",
			to: func(c *Config) value { return text(&c.obsolete.refreshModels) }},
		{name: "liveAISaveNSegments", mark: "A", roles: aiRoles | gateway, preset: "10", feature: featureLiveAI, help: "segments kept for looking into faults",
			to: func(c *Config) value { return whole(&c.LiveAI.SaveSegments, 0, 100000) }},
		{name: "mediaMTXApiPassword", mark: "G", roles: gateway, feature: featureLiveAI, help: "password of the media server's API",
			to: func(c *Config) value { return literalSecret(&c.LiveGateway.MediaMTXPassword) }},
		{name: "liveAIAuthWebhookUrl", mark: "G", roles: gateway, feature: featureLiveAI, help: "service that admits live AI streams",
			to: func(c *Config) value { return address(&c.LiveGateway.AuthWebhook, "http", "https") }},
		{name: "liveAIAuthApiKey", mark: "G", roles: gateway, feature: featureLiveAI, help: "key for that service",
			to: func(c *Config) value { return literalSecret(&c.LiveGateway.AuthKey) }},
		{name: "liveAIHeartbeatURL", mark: "G", roles: gateway, feature: featureLiveAI, help: "service that is told about running live AI streams",
			to: func(c *Config) value { return address(&c.LiveGateway.Heartbeat, "http", "https") }},
		{name: "liveAIHeartbeatHeaders", mark: "G", roles: gateway, feature: featureLiveAI, help: "headers sent to that service",
			to: func(c *Config) value { return literalSecret(&c.LiveGateway.HeartbeatHeaders) }},
		{name: "liveAIHeartbeatInterval", mark: "G", roles: gateway, preset: "5s", feature: featureLiveAI, help: "how often it is told",
			to: func(c *Config) value { return duration(&c.LiveGateway.HeartbeatInterval, time.Millisecond) }},
	}
}
