package fault

// Rewards and rounds.
const (
	// RewardFailing: the reward of this round could not be called yet.
	RewardFailing Code = "RewardFailing"
	// RewardMissed: a round ended without its reward.
	RewardMissed Code = "RewardMissed"
	// RewardNotAllowed: the account may not call reward for the orchestrator.
	RewardNotAllowed Code = "RewardNotAllowed"
	// StepInFlight: the step's transaction is on its way already.
	StepInFlight Code = "StepInFlight"
	// RoundInitFailing: the round could not be initialized.
	RoundInitFailing Code = "RoundInitFailing"
)

// rewardRows are the calls that belong to each round. Read-only.
var rewardRows = []Row{
	{
		Code: RewardFailing, Class: Upstream,
		Symptom: "no reward calls; the existing node says `Error trying to call reward for round`",
		Cause: "The orchestrator is active and this round's reward is due, but the call did not succeed so far; " +
			"the reason follows in the message. Usual ones are too little ETH for gas on the layer-2 chain, " +
			"an RPC endpoint that refuses, or a gas price above `-maxGasPrice`.",
		Remedy: "Follow the reason: fund the account, or correct `-ethUrl` or `-maxGasPrice`. The call is tried " +
			"again until the round ends; `tutti_cli reward call` tries at once. In a split set-up only one " +
			"process may call: start the others with `-reward=false`.", Retryable: true,
	},
	{
		Code: RewardMissed, Class: Upstream,
		Cause: "A round ended without the reward call of an active orchestrator. Its tokens are not minted; no " +
			"later call makes up for it.",
		Remedy: "Remove the reason that the message names before this round ends. If the node was not running, " +
			"keep it running: it resumes in mid-round.",
	},
	{
		Code: RewardNotAllowed, Class: Config,
		Cause: "The node's account is neither the orchestrator nor the reward caller that the orchestrator " +
			"named, so the contract refuses its reward calls.",
		Remedy: "With the orchestrator's own key run `tutti_cli orchestrator reward-caller <this node's " +
			"account>`, or start this process with `-reward=false` and call reward from the one that holds " +
			"the key.",
	},
	{
		Code: StepInFlight, Class: Busy,
		Cause: "A transaction of the same kind was sent before and no block has it yet. Sending another one " +
			"could do the same thing twice.",
		Remedy: "Wait until it is mined (`tutti_cli transactions` shows it) and run the command again: it goes " +
			"on at the next step.", Retryable: true,
	},
	{
		Code: RoundInitFailing, Class: Upstream,
		Cause: "`-initializeRound` is on and the call failed; the reason follows in the message. Until an account " +
			"initializes the round, reward cannot be called and tickets cannot be redeemed.",
		Remedy: "Follow the reason, usually gas money of the account or the RPC endpoint. It is tried again; any " +
			"other account may initialize the round as well.", Retryable: true,
	},
}
