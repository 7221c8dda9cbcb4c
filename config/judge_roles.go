package config

import "github.com/tuttinode/tutti/core/fault"

// judgeRoles checks that there is something to do, that it fits into one
// process, and that this release can do it.
func (l *loader) judgeRoles() {
	if !l.sound("orchestrator", "transcoder", "aiWorker", "gateway", "redeemer", "remoteSigner", "reward", "initializeRound") {
		return
	}
	r := l.config.Roles
	for _, need := range []struct {
		on      bool
		option  string
		feature feature
	}{
		{r.Redeemer, "redeemer", featureRedeemer},
		{r.RemoteSigner, "remoteSigner", featureRemoteSigner},
	} {
		if need.on && !need.feature.present() {
			l.blame(fault.FeatureMissing, need.option, need.feature.missing(), "leave the option out, or use a release that has it")
		}
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
	for _, name := range []string{"reward", "initializeRound"} {
		on := l.config.Roles.Reward == On
		if name == "initializeRound" {
			on = l.config.Roles.InitializeRound
		}
		if on {
			if !featureChain.present() {
				l.blame(fault.FeatureMissing, name, "a process for this alone needs the chain, and "+featureChain.missing(),
					"leave the option out, or use a release that has it")
			}
			return
		}
	}
	l.problem(&Problem{Code: fault.NoRole, Text: "no role was given",
		Remedy: "give -orchestrator -transcoder to take work, -gateway to give it, or both; the other roles are -aiWorker, -redeemer, -remoteSigner, -reward and -initializeRound"})
}

// judgeNoWork refuses an orchestrator that takes no work: all that is left for it
// to do is on the chain.
func (l *loader) judgeNoWork() {
	if l.config.Roles.Orchestrator && l.config.Addresses.Service.None && !featureChain.present() && l.sound("serviceAddr", "orchestrator") {
		l.blame(fault.FeatureMissing, "serviceAddr", "a node that takes no work has only duties on the chain, and "+featureChain.missing(),
			"write -serviceAddr host:port, or leave -orchestrator out")
	}
}

func (l *loader) judgeNetwork() {
	if !l.sound("network") {
		return
	}
	chain := l.config.Chain
	switch {
	case chain.Network == "rinkeby" || chain.Network == "arbitrum-one-rinkeby":
		l.blame(fault.BadOption, "network", "this test network was retired", "leave the option out to run off-chain")
	case !chain.Offchain() && !featureChain.present():
		l.blame(fault.FeatureMissing, "network", featureChain.missing(), "write -network offchain, or use a release that has it")
	}
}
