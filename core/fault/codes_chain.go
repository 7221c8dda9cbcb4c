package fault

// The chain as the node sees it.
const (
	// ChainStale: no new block was seen for longer than the chain is ever silent.
	ChainStale Code = "ChainStale"
	// ChainNotReady: the contracts are not resolved, because no endpoint answered.
	ChainNotReady Code = "ChainNotReady"
	// ChainIDChanged: the data directory belongs to another chain.
	ChainIDChanged Code = "ChainIDChanged"
	// ChainCacheFailed: the chain's part of tutti.db cannot be read or written.
	ChainCacheFailed Code = "ChainCacheFailed"
	// RoundNotInitialized: the present round is not initialized.
	RoundNotInitialized Code = "RoundNotInitialized"
	// ProtocolPaused: governance stopped the contracts.
	ProtocolPaused Code = "ProtocolPaused"
)

// The watched orchestrator's place.
const (
	// InactiveOrchestrator: registered, and not in the active set.
	InactiveOrchestrator Code = "InactiveOrchestrator"
	// LeavingActiveSet: active until this round ends, and not in the next.
	LeavingActiveSet Code = "LeavingActiveSet"
	// ServiceURIUnset: gateways find no address for the orchestrator.
	ServiceURIUnset Code = "ServiceURIUnset"
)

// Why an action makes no sense, known before it is sent.
const (
	// ActionInvalid: the action's own values exclude one another.
	ActionInvalid Code = "ActionInvalid"
	// RecipientIsContract: what is sent to one of the protocol's contracts is lost.
	RecipientIsContract Code = "RecipientIsContract"
	// DelegateNotRegistered: stake bonded to the address earns nothing.
	DelegateNotRegistered Code = "DelegateNotRegistered"
	// PollMissing: no poll answers at the address of a vote.
	PollMissing Code = "PollMissing"
	// TokensMissing: the account has fewer stake tokens than the action moves.
	TokensMissing Code = "TokensMissing"
	// AllowanceMissing: the bonding contract may not take as many tokens.
	AllowanceMissing Code = "AllowanceMissing"
	// StakeMissing: the account has no stake, or less than the action takes.
	StakeMissing Code = "StakeMissing"
	// FeesMissing: less was earned than is to be withdrawn.
	FeesMissing Code = "FeesMissing"
	// UnbondingLockUnknown: the account has no such unbonding lock.
	UnbondingLockUnknown Code = "UnbondingLockUnknown"
	// UnbondingLockWaiting: the lock's withdraw round has not begun.
	UnbondingLockWaiting Code = "UnbondingLockWaiting"
	// NotRegistered: the account is no registered orchestrator.
	NotRegistered Code = "NotRegistered"
	// RewardNotDue: the orchestrator is not active, or was rewarded in this round.
	RewardNotDue Code = "RewardNotDue"
	// RewardCallerRefused: the orchestrator named another reward caller.
	RewardCallerRefused Code = "RewardCallerRefused"
	// RoundLocked: the cuts cannot change at the end of a round.
	RoundLocked Code = "RoundLocked"
	// RoundAlreadyInitialized: another account initialized the round first; nothing is left to do.
	RoundAlreadyInitialized Code = "RoundAlreadyInitialized"
	// SenderFundsMissing: the account has no deposit and no reserve.
	SenderFundsMissing Code = "SenderFundsMissing"
	// SenderUnlockState: the unlock is already begun, not begun, or not over.
	SenderUnlockState Code = "SenderUnlockState"
	// FaucetMissing: the network gives no tokens away.
	FaucetMissing Code = "FaucetMissing"
)

// chainRows are the conditions of the chain as the node sees it, and of actions
// that cannot succeed. Read-only.
var chainRows = []Row{
	{
		Code: ChainStale, Class: Upstream,
		Symptom: "rounds, stake and funds do not change any more; the admin API says `stale`",
		Cause: "No new block came for longer than the chain is ever silent: the endpoints do not answer, or the " +
			"one in use is stuck behind the chain. The node goes on with what it knew last, and neither " +
			"rewards nor redeems meanwhile.",
		Remedy: "Look at the endpoints with `tutti_cli status` or `curl` them (`eth_blockNumber`); add a second " +
			"endpoint to `-ethUrl`. Nothing has to be restarted: the node takes up where it was.", Retryable: true,
	},
	{
		Code: ChainNotReady, Class: Upstream,
		Cause: "The addresses of the contracts are not known: no endpoint has answered since the start, or, " +
			"on a network whose " +
			"contracts are not built in, only one of several has, whose word is not enough at the first start.",
		Remedy: "Check `-ethUrl` and the endpoints' keys, and that this machine reaches them; leave out " +
			"those that do not work. " +
			"The node goes on by itself when enough of them answer.", Retryable: true,
	},
	{
		Code: ChainIDChanged, Class: Config,
		Symptom: "the existing node asks whether network or data directory was changed",
		Cause: "The data directory was used with another chain. Tickets, transactions and rounds of two chains " +
			"must not be mixed, so the node does not use it.",
		Remedy: "Correct `-network` or `-ethUrl`, or give this network a data directory of its own with `-dataDir`.",
	},
	{
		Code: ChainCacheFailed, Class: Internal,
		Cause: "The chain's part of tutti.db cannot be read or written. The node reads the chain instead and " +
			"continues; the list of past rewards, which is for display only, may lack rounds.",
		Remedy:    "Check that the disk has space and that the data directory belongs to the node's user.",
		Retryable: true,
	},
	{
		Code: RoundNotInitialized, Class: Upstream,
		Symptom: "`current round is not initialized`",
		Cause: "A round has begun and is not initialized. Until it is, no reward can be minted, " +
			"no stake moved and no ticket redeemed by any account.",
		Remedy: "Usually another node does it within minutes. To do it yourself run `tutti_cli round initialize` " +
			"(costs gas), or start with `-initializeRound`.", Retryable: true,
	},
	{
		Code: ProtocolPaused, Class: Upstream,
		Symptom: "`system is paused`",
		Cause: "Governance paused the protocol's contracts. No reward, stake movement or redemption is " +
			"possible for any account.",
		Remedy:    "Wait, and follow the protocol's announcements. The node sees the end of the pause by itself.",
		Retryable: true,
	},
	{
		Code: InactiveOrchestrator, Class: Config,
		Symptom: "no jobs; the orchestrator is not in the active set",
		Cause: "The orchestrator is registered, and its stake does not rank among the active set. Gateways look " +
			"at the active set only.",
		Remedy: "Bond more, or attract delegations: the detail says the rank and the stake of the last member, " +
			"which is the effective minimum. If the stake is large enough already, any change of it (bond a " +
			"little) makes the contract look again.",
	},
	{
		Code: LeavingActiveSet, Class: Config,
		Cause: "Others passed the orchestrator's stake, or its bond was withdrawn: it is active until this " +
			"round ends, and not in the next.",
		Remedy: "Call reward first if this round's is open, because returning within the round ends the activity " +
			"at once. Then bond more than the last member of the set has. Winning tickets are redeemed " +
			"before the round ends; until it is over, keep the node running and ether for gas in the account.",
	},
	{
		Code: ServiceURIUnset, Class: Config,
		Cause: "The orchestrator has no service URI in the registry in use, so gateways do not find it. Video " +
			"and AI have registries of their own.",
		Remedy: "Set it with `tutti_cli orchestrator service-uri https://host:8935` (costs gas); for AI jobs on " +
			"a node with `-aiServiceRegistry`.",
	},
	{
		Code: ActionInvalid, Class: BadRequest,
		Cause:  "The values of the action cannot be meant: an amount of zero, a share over 100 %, no recipient.",
		Remedy: "Correct the value that the detail names.",
	},
	{
		Code: RecipientIsContract, Class: BadRequest,
		Cause: "The recipient is one of the protocol's own contracts. It would keep what it is sent, and no " +
			"function of it returns that to the sender.",
		Remedy: "Name the account of a person or of a wallet. To bond LPT run `tutti_cli stake bond`, to fund a " +
			"gateway `tutti_cli deposit fund`; both call the contracts as they have to be called.",
	},
	{
		Code: DelegateNotRegistered, Class: BadRequest,
		Cause: "The address to bond to is not a registered orchestrator. The contracts would take the bond, it " +
			"would earn neither rewards nor fees, and taking it back takes the whole unbonding period.",
		Remedy: "Take an orchestrator from the list of `tutti_cli orchestrators`. To become an orchestrator with " +
			"the node's own account run `tutti_cli orchestrator activate`.",
	},
	{
		Code: PollMissing, Class: BadRequest,
		Cause: "No poll answers at the address. A transaction to an address without a contract succeeds, costs " +
			"gas and counts as no vote.",
		Remedy: "Compare the address with the poll's announcement, and check that the poll is on the chain of " +
			"`-network`. A treasury proposal has a number and no address: `tutti_cli vote proposal`.",
	},
	{
		Code: TokensMissing, Class: Payment,
		Symptom: "`ERC20: transfer amount exceeds balance`",
		Cause: "The account has fewer stake tokens (LPT) on this chain than the action moves. Tokens on layer " +
			"1, and tokens that are bonded, do not count.",
		Remedy: "Send or bridge LPT to the account on layer 2, or take a smaller amount.",
	},
	{
		Code: AllowanceMissing, Class: Payment,
		Symptom: "`ERC20: insufficient allowance`",
		Cause:   "The bonding contract may take fewer tokens from the account than are to be bonded.",
		Remedy:  "Approve the amount first; `tutti_cli stake bond` does both.",
	},
	{
		Code: StakeMissing, Class: BadRequest,
		Symptom: "`caller must be bonded` or `amount is greater than bonded amount`",
		Cause: "The account has no stake that counts yet, or less than the action takes. A bond counts from the " +
			"round after it was made.",
		Remedy: "Look at the stake with `tutti_cli stake status`; wait for the next round or take a smaller amount.",
	},
	{
		Code: FeesMissing, Class: BadRequest,
		Symptom: "`insufficient fees to withdraw`",
		Cause:   "The account has earned less than is to be withdrawn.",
		Remedy:  "Withdraw at most the pending fees that `tutti_cli stake status` shows.",
	},
	{
		Code: UnbondingLockUnknown, Class: NotFound,
		Symptom: "`invalid unbonding lock ID`",
		Cause:   "The account has no unbonding lock with this number, or it was withdrawn or rebonded already.",
		Remedy:  "List the locks with `tutti_cli stake locks`.",
	},
	{
		Code: UnbondingLockWaiting, Class: BadRequest,
		Symptom: "`withdraw round must be before or equal to the current round`",
		Cause:   "The unbonding period of the lock is not over.",
		Remedy:  "Wait for the round that the detail names. Until then the lock can be rebonded.", Retryable: true,
	},
	{
		Code: NotRegistered, Class: BadRequest,
		Symptom: "`transcoder must be registered`",
		Cause:   "The account is no orchestrator: it has no bond, or has bonded to another.",
		Remedy:  "Bond stake to the account itself first: `tutti_cli orchestrator activate`.",
	},
	{
		Code: RewardNotDue, Class: BadRequest,
		Symptom: "`caller has already called reward for the current round` or `transcoder must be active`",
		Cause:   "The orchestrator is not active in this round, or reward was called for it in this round already.",
		Remedy:  "None needed when it was rewarded; else see why it is not active.",
	},
	{
		Code: RewardCallerRefused, Class: Config,
		Symptom: "`caller must be a reward caller set by the transcoder`",
		Cause:   "The node's account is neither the orchestrator nor the reward caller that the orchestrator named.",
		Remedy: "From the orchestrator's own account run `tutti_cli orchestrator reward-caller <address of this " +
			"account>`.",
	},
	{
		Code: RoundLocked, Class: Busy,
		Symptom: "`can't update transcoder params, current round is locked`",
		Cause:   "The cuts cannot be changed in the last part of a round.",
		Remedy:  "Wait for the next round, call reward in it, then change the cuts.", Retryable: true,
	},
	{
		Code: RoundAlreadyInitialized, Class: BadRequest,
		Symptom: "`round already initialized`",
		Cause:   "Another node was faster.",
		Remedy:  "None needed.",
	},
	{
		Code: SenderFundsMissing, Class: Payment,
		Symptom: "`sender deposit and reserve are zero`",
		Cause:   "The account has neither deposit nor reserve at the ticket broker.",
		Remedy:  "Deposit first: `tutti_cli deposit fund`.",
	},
	{
		Code: SenderUnlockState, Class: BadRequest,
		Symptom: "`unlock already initiated`, `no unlock request in progress` or `account is locked`",
		Cause: "Deposit and reserve leave in three steps: unlock, wait for the unlock period, withdraw. This " +
			"step is not the next one.",
		Remedy: "Look at the sender's withdraw round with `tutti_cli status`; funding again cancels an unlock.",
	},
	{
		Code: FaucetMissing, Class: BadRequest,
		Cause:  "Only test networks give tokens away; this network's Controller knows no faucet.",
		Remedy: "Buy or bridge LPT, or use a test network.",
	},
}
