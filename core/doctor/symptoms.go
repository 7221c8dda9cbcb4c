package doctor

// Symptom is a problem as operators see it, and the checks that find its causes.
type Symptom struct {
	// Text is what is seen or logged.
	Text   string
	Checks []string
}

// Symptoms returns those that operators of the network report, in the order of the
// network's own list. Each has a check per cause.
func Symptoms() []Symptom {
	return []Symptom{
		{"`-gpu all` prints nothing or reports no devices",
			[]string{"gpu.devices", "gpu.driver", "gpu.container", "ai.toolkit"}},
		{"`OrchestratorCapped`, new jobs are refused", []string{"media.capacity", "media.sessions", "gpu.encoder"}},
		{"`command not found`", []string{"host.command"}},
		{"a CUDA library error at start or at the first transcode", []string{"gpu.cuda", "gpu.driver", "media.worker"}},
		{"the service address does not match the discovered address",
			[]string{"network.match", "network.address", "registration.uri"}},
		{"no gateways connect; port 8935 is closed", []string{"network.reach", "network.ports", "network.dns"}},
		{"connection refused, context deadline exceeded, could not retrieve chain ID",
			[]string{"chain.endpoints", "chain.id", "chain.layer", "chain.access"}},
		{"errors about ticket params", []string{"chain.fresh", "chain.speed", "chain.polling", "storage.time"}},
		{"session cleanup messages during an active stream", []string{"network.reach", "network.address"}},
		{"an AI runner container exits at start", []string{"ai.toolkit", "ai.memory", "ai.images", "ai.ports",
			"ai.runners"}},
		{"the AI runner runs, and no AI jobs arrive", []string{"ai.models"}},
		{"a job fails with out-of-memory", []string{"ai.memory", "gpu.memory"}},
		{"a job is rejected for its pipeline or model", []string{"ai.verified", "ai.models"}},
		{"few or no jobs, and no errors", []string{"price.unit", "price.set", "price.quotes", "registration.active"}},
		{"no reward calls", []string{"registration.reward", "registration.worker", "keys.gas"}},
	}
}
