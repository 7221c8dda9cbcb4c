package config

import "github.com/tuttinode/tutti/core/fault"

// validateRoles checks that there is a role, that the roles fit into one
// process, and that this release can do it.
func (l *loader) validateRoles() {
	if !l.valid("orchestrator", "transcoder", "aiWorker", "gateway", "redeemer", "remoteSigner", "router",
		"reward", "initializeRound") {
		return
	}
	r := l.config.Roles
	if r.AIWorker && l.in.System == "windows" {
		l.reportOption(fault.OptionUnsupported, "aiWorker",
			"AI models run on Linux only: their containers and the tools around them need it",
			"run -aiWorker on a Linux machine, which may register with this orchestrator by -orchSecret; this one "+
				"can transcode: -orchestrator -transcoder")
	}
	active := r.active()
	switch {
	case active == 0:
		l.validateNoRole()
	case r.Redeemer && active != redeemer:
		l.reportOption(fault.ContradictoryRoles, "redeemer",
			"it shares its process with no other role, and "+(active&^redeemer).String()+" is given too",
			"start it as a process of its own")
	case r.RemoteSigner && active != remoteSigner:
		l.reportOption(fault.ContradictoryRoles, "remoteSigner",
			"it shares its process with no other role, and "+(active&^remoteSigner).String()+" is given too",
			"start it as a process of its own")
	case r.Router && active != router:
		l.reportOption(fault.ContradictoryRoles, "router",
			"it shares its process with no other role, and "+(active&^router).String()+" is given too",
			"start it as a process of its own")
	case r.Router:
		l.validateRouter()
	case r.Gateway && !r.Orchestrator && active != gateway:
		l.reportOption(fault.ContradictoryRoles, "gateway",
			"it shares its process with "+(active&^gateway).String()+" only if the orchestrator is there too",
			"add -orchestrator, or start two processes")
	case r.Orchestrator && !r.Transcoder && !r.AIWorker && !l.config.LiveAI.Runners() &&
		l.config.LiveAI.SampleSessions == 0:
		l.validateNoWorkers()
	case !r.Orchestrator && (r.Transcoder || r.AIWorker):
		l.validateRemoteWorker()
	}
}

// validateNoWorkers refuses an orchestrator that has no devices and lets no worker
// register either.
func (l *loader) validateNoWorkers() {
	a := l.config.Addresses
	if a.OrchSecret.IsZero() && !a.Service.None && l.valid("orchSecret", "serviceAddr") {
		l.reportOption(fault.RoleIncomplete, "orchestrator",
			"an orchestrator without transcoder and without -orchSecret has no workers",
			"add -transcoder or -aiWorker to work in this process, or -orchSecret with a secret of your choice "+
				"for transcoders and AI workers elsewhere")
	}
}

// validateRemoteWorker checks that a worker has an orchestrator to work for.
func (l *loader) validateRemoteWorker() {
	name := "transcoder"
	if !l.config.Roles.Transcoder {
		name = "aiWorker"
	}
	a := l.config.Addresses
	if len(a.Orchestrators) == 0 && l.valid("orchAddr") {
		l.reportOption(fault.RoleIncomplete, name,
			"without -orchestrator it works for one elsewhere, and none is named",
			"write -orchAddr host:8935 and -orchSecret, or add -orchestrator to work in this process")
	}
	if a.OrchSecret.IsZero() && l.valid("orchSecret", name) {
		l.reportOption(fault.MissingOption, "orchSecret", "a remote worker must show its orchestrator's secret",
			"write -orchSecret with the orchestrator's, or the path of a file that holds it")
	}
	tls := l.config.TLS
	if l.valid("workerCert", "workerKey") && (tls.WorkerCert == "") != (tls.WorkerKey == "") {
		l.reportOption(fault.MissingOption, "workerCert", "a certificate and its key belong together",
			"give both -workerCert and -workerKey, or neither")
	}
}

// validateSecret refuses a path in place of a secret, and an example: what is written in documents
// would be a public secret.
func (l *loader) validateSecret() {
	const remedy = "make the file: head -c 24 /dev/urandom | base64 >file"
	if l.validateFile("orchSecret",
		"correct the path, or "+remedy+"; a secret that looks like a path belongs in a file") {
		l.validateNoExample("orchSecret", l.config.Addresses.OrchSecret.Reveal(),
			remedy+"; and write -orchSecret /path/to/file")
	}
}

// validateRouter checks that a router has orchestrators to send gateways to.
func (l *loader) validateRouter() {
	if len(l.config.Addresses.Orchestrators) == 0 && l.valid("orchAddr") {
		l.reportOption(fault.MissingOption, "orchAddr", "a router has no orchestrators to send gateways to",
			"write -orchAddr host:8935,host:8935 with your orchestrators")
	}
}

func (l *loader) validateNoRole() {
	if l.config.Roles.Reward == On || l.config.Roles.InitializeRound {
		// A process for this alone.
		if l.config.Chain.Offchain() && l.valid("network") {
			l.reportOption(fault.MissingOption, "network",
				"a process that only calls reward or initializes rounds has nothing to do off-chain",
				"write -network arbitrum-one-mainnet, or give a role")
		}
		return
	}
	l.problem(&Problem{Code: fault.NoRole, Text: "no role was given",
		Remedy: "give -orchestrator -transcoder to take work, -gateway to give it, or both; the other roles are " +
			"-aiWorker, -redeemer, -router, -remoteSigner, -reward and -initializeRound"})
}

// validateNoWork refuses an orchestrator that takes no work and is not on a chain:
// nothing is left for it to do.
func (l *loader) validateNoWork() {
	if l.config.Roles.Orchestrator && l.config.Addresses.Service.None && l.config.Chain.Offchain() &&
		l.valid("serviceAddr", "orchestrator", "network") {
		l.reportOption(fault.OptionConflict, "serviceAddr",
			"a node that takes no work has only duties on the chain, and it runs off-chain",
			"write -serviceAddr host:port, name a -network, or leave -orchestrator out")
	}
}
