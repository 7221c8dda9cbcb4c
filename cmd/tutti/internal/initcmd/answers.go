package initcmd

// Key names an answer. Besides the role they are the node's options, by which they can
// be given as flags and in a file.
type Key string

// The questions.
const (
	Role             Key = "role"
	Network          Key = "network"
	Endpoint         Key = "ethUrl"
	ServiceAddr      Key = "serviceAddr"
	Price            Key = "pricePerUnit"
	MaxPrice         Key = "maxPricePerUnit"
	Devices          Key = "gpu"
	Models           Key = "aiModels"
	OrchestratorAddr Key = "orchAddr"
	OrchestratorPass Key = "orchSecret"
	Passphrase       Key = "ethPassword"
)

// Keys returns all answers, in the order in which they are asked.
func Keys() []Key {
	return []Key{Role, Network, Endpoint, OrchestratorAddr, OrchestratorPass, ServiceAddr, Price, MaxPrice, Devices,
		Models, Passphrase}
}

// Answers are what is known so far. An answer that is there may be empty: that is one.
type Answers map[Key]string

// The roles.
const (
	Orchestrator = "orchestrator"
	AI           = "orchestrator-ai"
	Transcoder   = "transcoder"
	AIWorker     = "ai-worker"
	Gateway      = "gateway"
)

// MainNet and Offchain are the networks to choose from; others can be given.
const (
	MainNet  = "arbitrum-one-mainnet"
	Offchain = "offchain"
)

// cpu says that no GPU is used.
const cpu = "cpu"

// Found is what the machine has.
type Found struct {
	// GPUs are the names of those that can be used.
	GPUs []string
	// Address is the public address, "" when it is not known.
	Address string
	// OldNode is the data directory of an existing node, OldAccount whose key lies
	// there; "" for none.
	OldNode, OldAccount string
	// Account is the key that is here already, "" for none.
	Account string
	// ModelsFile is a models file of an existing node, "" for none.
	ModelsFile string
	// Docker says that a Docker Engine answers.
	Docker bool
}

// onChain reports whether the answers are about a node on a chain.
func (a Answers) onChain() bool {
	role := a[Role]
	return role != Transcoder && role != AIWorker && a[Network] != Offchain
}

// Earns reports whether the node is to be an orchestrator on a chain.
func (a Answers) Earns() bool {
	return a.onChain() && (a[Role] == Orchestrator || a[Role] == AI)
}

// runsModels reports whether the node runs AI models.
func (a Answers) runsModels() bool { return a[Role] == AI || a[Role] == AIWorker }
