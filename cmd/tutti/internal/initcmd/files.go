package initcmd

import (
	"fmt"
	"strings"
)

// File is one file to write, for its owner only.
type File struct {
	Path    string
	Content string
	// Secret content is never shown.
	Secret bool
}

// Places are where the files of a node are.
type Places struct {
	// Config is the configuration file, Passphrase and OrchSecret those of secrets.
	Config, Passphrase, OrchSecret string
	// Unit is a unit of a user's own, "" where the package's is used; Program is what
	// it starts.
	Unit, Program string
	// Credential: systemd hands the passphrase over, so the configuration does not
	// name its file.
	Credential bool
	// DataDir is named in the configuration, "" for the node's own choice. KeepOut: the
	// service cannot look at an existing node's directory, and need not.
	DataDir string
	KeepOut bool
}

// Files returns what the answers come to.
func Files(a Answers, p Places) []File {
	out := []File{{Path: p.Config, Content: Config(a, p)}}
	if a.onChain() && !isPath(a[Passphrase]) {
		out = append(out, File{Path: p.Passphrase, Content: a[Passphrase] + "\n", Secret: true})
	}
	if applies(OrchestratorPass, a) && !isPath(a[OrchestratorPass]) {
		out = append(out, File{Path: p.OrchSecret, Content: a[OrchestratorPass] + "\n", Secret: true})
	}
	if p.Unit != "" {
		out = append(out, File{Path: p.Unit, Content: unit(p)})
	}
	return out
}

// isPath reports whether a secret was given as the path of a file.
func isPath(s string) bool { return strings.HasPrefix(s, "/") }

// Config returns the configuration file.
func Config(a Answers, p Places) string {
	var b strings.Builder
	b.WriteString("# Configuration of a tutti node, written by tutti init.\n" +
		"# One option per line: key, space, value. A key alone means true.\n" +
		"# tutti -help lists all options; tutti config check -config FILE shows what is in effect.\n")
	part := func(about string, lines ...string) {
		fmt.Fprintf(&b, "\n# %s\n", about)
		for _, line := range lines {
			b.WriteString(line + "\n")
		}
	}
	part(roleAbout()[a[Role]], roleLines()[a[Role]]...)
	if applies(Network, a) {
		chainPart(part, a, p)
	}
	addressPart(part, a, p)
	workPart(part, a)
	part("What others see: /metrics for Prometheus on the admin port, which is on this machine only.", "monitor")
	if p.DataDir != "" {
		part("The node's state: keys, books, certificates. Keep a copy of its keystore.", "dataDir "+p.DataDir)
	}
	if p.KeepOut {
		part("What an existing node left was taken over by tutti init; the service cannot see it.", "moveFrom none")
	}
	return b.String()
}

func roleAbout() map[string]string {
	return map[string]string{
		Orchestrator: "Takes work from gateways and transcodes it on this machine.",
		AI:           "Takes AI jobs from gateways and runs models on this machine.",
		Transcoder:   "Transcodes for an orchestrator on another machine.",
		AIWorker:     "Runs models for an orchestrator on another machine.",
		Gateway:      "Gives streams and requests to orchestrators.",
	}
}

func roleLines() map[string][]string {
	return map[string][]string{
		Orchestrator: {"orchestrator", "transcoder"},
		AI:           {"orchestrator", "aiWorker"},
		Transcoder:   {"transcoder"},
		AIWorker:     {"aiWorker"},
		Gateway:      {"gateway"},
	}
}

type partWriter func(about string, lines ...string)

func chainPart(part partWriter, a Answers, p Places) {
	if !a.onChain() {
		part("Without chain and money. To earn, name the network arbitrum-one-mainnet, an ethUrl and a price.",
			"network "+Offchain)
		return
	}
	part("The network, and the layer-2 endpoints, which may hold keys: several between commas make the node "+
		"independent of any one.",
		"network "+a[Network], "ethUrl "+a[Endpoint])
	path := p.Passphrase
	if isPath(a[Passphrase]) {
		path = a[Passphrase]
	}
	switch {
	case p.Credential && !isPath(a[Passphrase]):
		part("The passphrase of the key is in " + path + ", which systemd hands to the service.")
	default:
		part("The file with the passphrase of the key.", "ethPassword "+path)
	}
	switch {
	case a[Role] == Orchestrator:
		part("What one pixel costs: wei, or an amount of a currency for pixelsPerUnit pixels.",
			priceOption("pricePerUnit", a[Price])...)
	case a[Role] == AI:
		part("AI jobs go by the service registry for AI; their prices are in aiModels.json.", "aiServiceRegistry")
	case a[Role] == Gateway:
		part("The most that is paid for one pixel.", priceOption("maxPricePerUnit", a[MaxPrice])...)
	}
}

func addressPart(part partWriter, a Answers, p Places) {
	if applies(OrchestratorAddr, a) {
		part("The orchestrators that it works with.", "orchAddr "+a[OrchestratorAddr])
	}
	if applies(OrchestratorPass, a) {
		path := p.OrchSecret
		if isPath(a[OrchestratorPass]) {
			path = a[OrchestratorPass]
		}
		part("The file with the secret that orchestrator and workers share.", "orchSecret "+path)
	}
	if applies(ServiceAddr, a) {
		part("Where gateways reach this node; its port must be open to every address.", "serviceAddr "+a[ServiceAddr])
	}
}

func workPart(part partWriter, a Answers) {
	if applies(Devices, a) {
		lines := []string{"gpu " + a[Devices]}
		if a[Devices] == cpu || a[Devices] == "" {
			lines = []string{"#gpu all"}
		}
		part("GPUs to transcode on; without, the CPU does it. As many streams at once as the machine carries, or a number.",
			append(lines, "maxSessions auto")...)
	}
	if a.runsModels() {
		part("The models to serve, and where their weights are kept.", "aiModels "+a[Models], "#aiModelsDir /srv/models")
	}
}

// priceOption returns a price; one in a currency is for as many pixels as such prices are
// named for.
func priceOption(name, price string) []string {
	if strings.Trim(price, "0123456789.e") == "" {
		return []string{name + " " + price}
	}
	return []string{name + " " + price, "pixelsPerUnit 1000000000000"}
}

// unit returns the service of a user without the packages.
func unit(p Places) string {
	return `[Unit]
Description=tutti node
After=network-online.target
StartLimitIntervalSec=0

[Service]
Type=notify
NotifyAccess=all
ExecStart=` + escaped(p.Program) + ` -config ` + escaped(p.Config) + `
ExecReload=/bin/kill -HUP $MAINPID
Restart=always
RestartSec=3
RestartPreventExitStatus=2
TimeoutStartSec=5min
TimeoutStopSec=2min
KillMode=mixed
LimitNOFILE=65536
UMask=0077

[Install]
WantedBy=default.target
`
}

// escaped returns a path as a unit's command line takes it.
func escaped(path string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `%`, `%%`, `$`, `$$`).Replace(path) + `"`
}
