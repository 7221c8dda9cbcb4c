package config

import "github.com/tuttinode/tutti/core/fault"

// judgeRoles checks that there is something to do, that it fits into one
// process, and that this release can do it.
func (l *loader) judgeRoles() {
	if !l.sound("orchestrator", "transcoder", "aiWorker", "gateway", "redeemer", "remoteSigner", "reward", "initializeRound") {
		return
	}
	r := l.config.Roles
	if r.RemoteSigner && !featureRemoteSigner.present() {
		l.blame(fault.FeatureMissing, "remoteSigner", featureRemoteSigner.missing(), "leave the option out, or use a release that has it")
	}
	active := r.active()
	switch {
	case active == 0:
		l.judgeNoRole()
	case r.Redeemer && active != redeemer:
		l.blame(fault.ContradictoryRoles, "redeemer", "it shares its process with no other role, and "+(active&^redeemer).String()+" is given too",
			"start it as a process of its own")
	case r.RemoteSigner && active != remoteSigner:
		l.blame(fault.ContradictoryRoles, "remoteSigner", "it shares its process with no other role, and "+(active&^remoteSigner).String()+" is given too",
			"start it as a process of its own")
	case r.Gateway && !r.Orchestrator && active != gateway:
		l.blame(fault.ContradictoryRoles, "gateway", "it shares its process with "+(active&^gateway).String()+" only if the orchestrator is there too",
			"add -orchestrator, or start two processes")
	case r.Orchestrator && !r.Transcoder && !r.AIWorker && !featureRemoteWork.present():
		l.blame(fault.RoleIncomplete, "orchestrator", "an orchestrator without transcoder has nobody to work for it: "+featureRemoteWork.missing(),
			"add -transcoder or -aiWorker")
	case r.AIWorker && !r.Orchestrator && !featureRemoteWork.present():
		l.blame(fault.RoleIncomplete, "aiWorker", "an AI worker without orchestrator gets no work: "+featureRemoteWork.missing(),
			"add -orchestrator")
	case r.Transcoder && !r.Orchestrator && !featureRemoteWork.present():
		l.blame(fault.RoleIncomplete, "transcoder", "a transcoder without orchestrator gets no work: "+featureRemoteWork.missing(),
			"add -orchestrator")
	}
}

func (l *loader) judgeNoRole() {
	if l.config.Roles.Reward == On || l.config.Roles.InitializeRound {
		// A process for this alone.
		if l.config.Chain.Offchain() && l.sound("network") {
			l.blame(fault.MissingOption, "network", "a process that only calls reward or initialises rounds has nothing to do off-chain",
				"write -network arbitrum-one-mainnet, or give a role")
		}
		return
	}
	l.problem(&Problem{Code: fault.NoRole, Text: "no role was given",
		Remedy: "give -orchestrator -transcoder to take work, -gateway to give it, or both; the other roles are -aiWorker, -redeemer, -remoteSigner, -reward and -initializeRound"})
}

// judgeNoWork refuses an orchestrator that takes no work and is not on a chain:
// nothing is left for it to do.
func (l *loader) judgeNoWork() {
	if l.config.Roles.Orchestrator && l.config.Addresses.Service.None && l.config.Chain.Offchain() && l.sound("serviceAddr", "orchestrator", "network") {
		l.blame(fault.OptionConflict, "serviceAddr", "a node that takes no work has only duties on the chain, and it runs off-chain",
			"write -serviceAddr host:port, name a -network, or leave -orchestrator out")
	}
}
