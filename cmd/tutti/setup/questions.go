package setup

import (
	"fmt"
	"strings"
)

// Question is one thing to ask.
type Question struct {
	Key Key
	// Text is the question, Help lines before it.
	Text string
	Help []string
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

// Next is the first question whose answer is not known; false when all are. There are
// at most seven for any role.
func Next(a Answers, f Found) (Question, bool) {
	for _, key := range Keys() {
		if _, known := a[key]; known || !applies(key, a) {
			continue
		}
		q := questions[key](a, f)
		q.Key = key
		return q, true
	}
	return Question{}, false
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
var questions = map[Key]func(Answers, Found) Question{
	Role:             askRole,
	Network:          askNetwork,
	Endpoint:         askEndpoint,
	OrchestratorAddr: askOrchestrator,
	OrchestratorPass: func(Answers, Found) Question {
		return Question{Text: "The orchestrator's secret (its -orchSecret)", Needed: true, Secret: true}
	},
	ServiceAddr: askAddress,
	Price: func(Answers, Found) Question {
		return Question{Text: "Price of one pixel in wei, or an amount such as 0.1USD for 10^12 pixels", Default: "1200",
			Help: []string{"Gateways choose by price, stake and performance; the price can be changed at any time."}}
	},
	MaxPrice: func(Answers, Found) Question {
		return Question{Text: "The most that is paid for one pixel, in wei", Default: "1200"}
	},
	Devices: askDevices,
	Models:  askModels,
	Passphrase: func(_ Answers, f Found) Question {
		who := "Passphrase of a new account's key"
		if account := first(f.Account, f.OldAccount); account != "" {
			who = "Passphrase of " + account
		}
		return Question{Text: who + ", or the path of a file that holds it", Needed: true, Secret: true,
			Help: []string{"It is kept in a file that only the node's user reads. A lost passphrase cannot be recovered by anybody."}}
	},
}

func askRole(_ Answers, f Found) Question {
	q := Question{Text: "What is this node to do?", Choices: []Choice{
		{Orchestrator, "orchestrator: take video work from gateways and transcode it on this machine"},
		{AI, "orchestrator for AI: take AI jobs from gateways and run models on this machine"},
		{Transcoder, "transcoder: transcode for your orchestrator on another machine"},
		{AIWorker, "AI worker: run models for your orchestrator on another machine"},
		{Gateway, "gateway: give your streams and requests to orchestrators"},
	}, Default: Orchestrator}
	switch {
	case f.OldNode != "":
		q.Help = append(q.Help, "An existing node was found in "+f.OldNode+"; its key and unredeemed tickets are taken over.")
	case f.ModelsFile != "":
		q.Default = AI
	}
	return q
}

func askNetwork(a Answers, _ Found) Question {
	q := Question{Text: "On which network?", Default: MainNet, Choices: []Choice{
		{MainNet, MainNet + ": work for money"},
		{Offchain, Offchain + ": without chain and money, to try it out"},
	}}
	return q
}

func askEndpoint(a Answers, _ Found) Question {
	q := Question{Text: "URL of a layer-2 RPC endpoint, several between commas", Needed: true,
		Help: []string{"Such as https://arb-mainnet.example.org/v2/KEY of your provider; with two or more the node does without any one of them."}}
	if a[Network] != MainNet {
		q.Help = nil
	}
	return q
}

func askOrchestrator(a Answers, _ Found) Question {
	text := "Address of your orchestrator, host:port"
	if a[Role] == Gateway {
		text = "Addresses of orchestrators, host:port, several between commas"
	}
	return Question{Text: text, Needed: true}
}

func askAddress(a Answers, f Found) Question {
	q := Question{Text: "Address at which gateways reach this node, host:port",
		Help: []string{"A name lets the machine change its address later without a transaction. Port 8935 must be open to everybody."}}
	switch {
	case a[Network] == Offchain:
		q.Default, q.Help = "127.0.0.1:8935", nil
	case f.Address != "":
		q.Default = f.Address + ":8935"
	default:
		q.Needed = true
	}
	return q
}

func askDevices(_ Answers, f Found) Question {
	q := Question{Text: "GPUs to transcode on: all, numbers such as 0,1, or cpu", Default: CPU, Help: []string{"No NVIDIA GPU was found."}}
	if len(f.GPUs) > 0 {
		q.Default, q.Help = "all", []string{fmt.Sprintf("Found: %s.", strings.Join(f.GPUs, ", "))}
	}
	return q
}

func askModels(_ Answers, f Found) Question {
	q := Question{Text: "Path of aiModels.json, the models to serve", Default: f.ModelsFile, Needed: f.ModelsFile == "",
		Help: []string{"docs/ai-models.md says what is in it."}}
	if !f.Docker {
		q.Help = append(q.Help, "No Docker Engine answers: models in containers need one, models behind a url do not.")
	}
	return q
}

func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
