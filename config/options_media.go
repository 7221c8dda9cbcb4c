package config

import (
	"time"

	"github.com/tuttinode/tutti/core"
)

func transcodingRows() []option {
	return []option{
		{name: "gpu", aliases: []string{"nvidia"}, field: "Nvidia", mark: "B M", roles: transcoder | aiWorker,
			feature: featureGPU, meanwhile: "segments are transcoded on the CPU", unset: "the CPU",
			help: "NVIDIA GPUs to transcode on: numbers as nvidia-smi counts them and UUIDs (GPU-…), separated by " +
				"commas, or all",
			to: func(c *Config) value {
				return typed(&c.Transcoding.Devices, "devices", "all", pure(ParseDevices))
			}},
		{name: "maxSessions", mark: "B M", preset: "10",
			help: "concurrent sessions; auto admits while the devices keep up with real time, and is what holds " +
				"for an orchestrator with -orchSecret: each worker says how many it takes",
			to: func(c *Config) value {
				return typed(&c.Limits.MaxSessions, "number or auto", "10", pure(ParseSessions))
			}},
		{name: "testTranscoder", mark: "M", roles: transcoder, preset: "true", feature: featureGPU,
			help: "test what every GPU can do at the start",
			to:   func(c *Config) value { return boolean(&c.Transcoding.TestAtStart) }},
		{name: "hevcDecoding", mark: "M", roles: transcoder, unset: "as the hardware test says",
			help: "offer or refuse HEVC sources whatever the test says",
			to:   func(c *Config) value { return switchable(&c.Transcoding.HEVCDecoding) }},
		{name: "netint", mark: "A", help: "accelerators of another vendor: not supported",
			to: func(c *Config) value { return text(&c.obsolete.netint) }},
		{name: "authWebhookUrl", mark: "A", roles: orchestrator | gateway,
			help: "service that admits streams and API keys to a gateway, and gateways to an orchestrator, at prices of " +
				"its own if it names one",
			to: func(c *Config) value { return hiddenURL(&c.Gateway.AuthWebhook, "http", "https") }},
	}
}

func gatewayRows() []option {
	return []option{
		{name: "transcodingOptions", mark: "G", roles: gateway, preset: core.DefaultPresets,
			help: "default renditions: preset names separated by commas, or the path of a JSON file",
			to: func(c *Config) value {
				return typed(&c.Gateway.Ladder, "presets or path", core.DefaultPresets, readLadder)
			}},
		{name: "maxAttempts", mark: "G", roles: gateway, preset: "3", help: "orchestrators tried for one segment",
			to: func(c *Config) value { return whole(&c.Gateway.MaxAttempts, 1, 100) }},
		{name: "httpIngest", mark: "G", roles: gateway,
			unset: "on, but off at a public address without -authWebhookUrl", help: "take segments pushed over HTTP",
			to: func(c *Config) value { return switchable(&c.Gateway.httpIngest) }},
		{name: "currentManifest", mark: "G", roles: gateway,
			help: "serve the stream that began last as /stream/current.m3u8",
			to:   func(c *Config) value { return boolean(&c.Gateway.CurrentManifest) }},
		{name: "localVerify", mark: "G", roles: gateway, unset: "on, but off without a chain",
			help: "check renditions and signatures on the gateway",
			to:   func(c *Config) value { return switchable(&c.Gateway.localVerify) }},
		{name: "metadataQueueUri", mark: "G", roles: gateway, feature: featureQueue,
			help: "AMQP broker that gets a message for each segment, amqp:// or amqps:// with user and password",
			to:   func(c *Config) value { return hiddenURL(&c.Gateway.MetadataQueue, "amqp", "amqps") }},
		{name: "metadataAmqpExchange", mark: "G", roles: gateway, preset: "lp_golivepeer_metadata",
			feature: featureQueue, help: "topic exchange of those messages",
			to: func(c *Config) value { return text(&c.Gateway.MetadataExchange) }},
		{name: "metadataPublishTimeout", mark: "G", roles: gateway, preset: "1s", feature: featureQueue,
			help: "how long that broker may take to confirm messages",
			to:   func(c *Config) value { return duration(&c.Gateway.MetadataPublishTimeout, time.Millisecond) }},
		{name: "verifierUrl", mark: "O", obsolete: "verification by a classifier was retired; delete it",
			to: func(c *Config) value { return hiddenURL(&c.obsolete.verifierURL) }},
		{name: "verifierPath", mark: "O", obsolete: "verification by a classifier was retired; delete it",
			to: func(c *Config) value { return text(&c.obsolete.verifierPath) }},
		{name: "FVfailGsbucket", mark: "O", obsolete: "segments that fail verification are not kept; delete it",
			to: func(c *Config) value { return text(&c.obsolete.failBucket) }},
		{name: "FVfailGskey", aliases: []string{"FVfailGsKey"}, mark: "O",
			obsolete: "segments that fail verification are not kept; delete it",
			to:       func(c *Config) value { return literalSecret(&c.obsolete.failKey) }},
	}
}
