package initcmd

import (
	"cmp"
	"fmt"
	"strings"
)

// question is one thing to ask.
type question struct {
	Key Key
	// Text is the question, Help what was found, in lines before it. Why explains the
	// question to an operator that asks.
	Text      string
	Help, Why []string
	// Default is taken for an empty answer; Needed says that without one something
	// must be said.
	Default string
	Needed  bool
	// Choices are numbered answers; none for a text.
	Choices []Choice
	// Secret is not shown while it is typed.
	Secret bool
}

// Choice is one numbered answer.
type Choice struct{ Value, Text string }

// Next returns the first question whose answer is not known; false when all are. There are
// at most seven for any role.
func Next(a Answers, f Found) (question, bool) {
	for _, key := range Keys() {
		if _, known := a[key]; known || !applies(key, a) {
			continue
		}
		q := questions[key](a, f)
		q.Key = key
		return q, true
	}
	return question{}, false
}

// applies reports whether an answer is needed for the role.
func applies(key Key, a Answers) bool {
	role := a[Role]
	remote := role == Transcoder || role == AIWorker
	switch key {
	case Role:
		return true
	case Network:
		return !remote
	case Endpoint, Passphrase:
		return a.onChain()
	case OrchestratorAddr:
		return remote || role == Gateway && !a.onChain()
	case OrchestratorPass:
		return remote
	case ServiceAddr:
		return role == Orchestrator || role == AI
	case Price:
		return role == Orchestrator && a.onChain()
	case MaxPrice:
		return role == Gateway && a.onChain()
	case Devices:
		return role == Orchestrator || role == Transcoder
	case Models:
		return a.runsModels()
	}
	return false
}

// questions make each question. Read-only.
var questions = map[Key]func(Answers, Found) question{
	Role:             askRole,
	Network:          askNetwork,
	Endpoint:         askEndpoint,
	OrchestratorAddr: askOrchestrator,
	OrchestratorPass: func(Answers, Found) question {
		return question{Text: "The orchestrator's secret (its -orchSecret)", Needed: true, Secret: true,
			Why: []string{"Orchestrator and workers share it: only workers that know it get work. " +
				"The orchestrator's operator has it,",
				"and a path such as /etc/tutti/pool-secret names a file that holds it."}}
	},
	ServiceAddr: askAddress,
	Price: func(Answers, Found) question {
		return question{Text: "Price of one pixel in wei, or an amount such as 0.1USD for 10^12 pixels", Default: "1200",
			Why: []string{"Gateways choose by price, stake and performance; the price can be changed at any time.",
				"A gateway gives no work to orchestrators above its own -maxPricePerUnit."}}
	},
	MaxPrice: func(Answers, Found) question {
		return question{Text: "The most that is paid for one pixel, in wei", Default: "1200",
			Why: []string{"Orchestrators that ask for more get no work from this gateway."}}
	},
	Devices: askDevices,
	Models:  askModels,
	Passphrase: func(_ Answers, f Found) question {
		text := "Passphrase of a new account's key"
		if account := cmp.Or(f.Account, f.OldAccount); account != "" {
			text = "Passphrase of " + account
		}
		return question{Text: text + ", or the path of a file that holds it", Needed: true, Secret: true,
			Why: []string{"It opens the account's key. It is kept in a file that only the node's user reads.",
				"A lost passphrase cannot be recovered; keep a copy of it and of the key file."}}
	},
}

func askRole(_ Answers, f Found) question {
	q := question{Text: "What is this node to do?", Choices: []Choice{
		{Orchestrator, "orchestrator: take video work from gateways and transcode it on this machine"},
		{AI, "orchestrator for AI: take AI jobs from gateways and run models on this machine"},
		{Transcoder, "transcoder: transcode for your orchestrator on another machine"},
		{AIWorker, "AI worker: run models for your orchestrator on another machine"},
		{Gateway, "gateway: give your streams and requests to orchestrators"},
	}, Default: Orchestrator, Why: []string{
		"An orchestrator earns: gateways send it work and pay it. A transcoder and an AI worker work for an orchestrator",
		"that has the account, so that more machines share one stake. A gateway pays: " +
			"it is for operators with streams or prompts.",
	}}
	switch {
	case f.OldNode != "":
		q.Help = append(q.Help, "An existing node was found in "+f.OldNode+"; its key and unredeemed tickets are taken over.")
	case f.ModelsFile != "":
		q.Default = AI
	}
	return q
}

func askNetwork(a Answers, _ Found) question {
	q := question{Text: "On which network?", Default: MainNet, Choices: []Choice{
		{MainNet, MainNet + ": work for money"},
		{Offchain, Offchain + ": without chain and money, to try it out"},
	}, Why: []string{"Off-chain nothing is paid and nothing needs an account; only gateways that name this node find it.",
		"Work for money needs an account with ETH for transactions, stake in LPT, and the URL of a layer-2 endpoint."}}
	return q
}

func askEndpoint(a Answers, _ Found) question {
	q := question{Text: "URL of a layer-2 RPC endpoint, several between commas", Needed: true,
		Why: []string{"The node reads the chain and sends its transactions there. A provider gives one, such as",
			"https://arb-mainnet.example.org/v2/KEY; with two or more the node does without any one of them."}}
	return q
}

func askOrchestrator(a Answers, _ Found) question {
	text := "Address of your orchestrator, host:port"
	if a[Role] == Gateway {
		text = "Addresses of orchestrators, host:port, several between commas"
	}
	return question{Text: text, Needed: true, Why: []string{"It is the orchestrator's -serviceAddr; without a port it " +
		"is 8935."}}
}

func askAddress(a Answers, f Found) question {
	q := question{Text: "Address at which gateways reach this node, host:port",
		Why: []string{"A name lets the machine change its address later without a transaction. The port must be open to " +
			"every address.",
			"127.0.0.1:8935 is reached from this machine alone, which is enough to try it out."}}
	switch {
	case a[Network] == Offchain:
		q.Default = "127.0.0.1:8935"
	case f.Address != "":
		q.Default = f.Address + ":8935"
	default:
		q.Needed = true
	}
	return q
}

func askDevices(_ Answers, f Found) question {
	q := question{Text: "GPUs to transcode on: all, numbers such as 0,1, or cpu", Default: cpu,
		Help: []string{"No NVIDIA GPU was found."},
		Why: []string{"A GPU has encoders of its own and leaves the CPU free. tutti gpu list says why one is not " +
			"found."}}
	if len(f.GPUs) > 0 {
		q.Default, q.Help = "all", []string{fmt.Sprintf("Found: %s.", strings.Join(f.GPUs, ", "))}
	}
	return q
}

func askModels(_ Answers, f Found) question {
	q := question{Text: "Path of aiModels.json, the models to serve", Default: f.ModelsFile, Needed: f.ModelsFile == "",
		Why: []string{"It lists the models, their prices, and which are loaded at the start; docs/ai-models.md says what " +
			"is in it,",
			"and tutti config check what it comes to."}}
	if !f.Docker {
		q.Help = append(q.Help, "No Docker Engine answers: models in containers need one, models behind a url do not.")
	}
	return q
}
