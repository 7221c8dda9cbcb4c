package fault

// Finding and reading the protocol's contracts. What they refuse for reasons that
// can be known before is in codes_chain.go.
const (
	// ContractsChanged (class Upstream): the Controller names other contracts than
	// those that are trusted.
	ContractsChanged Code = "ContractsChanged"
	// ContractsUnchanged (class BadRequest): there is no change to confirm.
	ContractsUnchanged Code = "ContractsUnchanged"
	// ControllerInvalid (class Config): what is at the Controller's address is not one.
	ControllerInvalid Code = "ControllerInvalid"
	// ContractMissing (class Config): the network has no contract that is needed.
	ContractMissing Code = "ContractMissing"
	// ContractAnswerInvalid (class Upstream, retryable): an answer cannot be read.
	ContractAnswerInvalid Code = "ContractAnswerInvalid"
	// ContractReverted (class Upstream): a contract refused in words without a code here.
	ContractReverted Code = "ContractReverted"
	// ContractPanicked (class Upstream): a contract failed one of its own checks.
	ContractPanicked Code = "ContractPanicked"
)

// Being an orchestrator. Class BadRequest unless said otherwise.
const (
	// CommissionNeedsReward: an active orchestrator changes cuts after its reward.
	CommissionNeedsReward Code = "CommissionNeedsReward"
	// CannotMoveOwnStake: an orchestrator cannot delegate to another one.
	CannotMoveOwnStake Code = "CannotMoveOwnStake"
)

// Stake. Class BadRequest unless said otherwise.
const (
	// DelegateMustReward (class Busy, retryable): the orchestrator is leaving and has
	// not called reward.
	DelegateMustReward Code = "DelegateMustReward"
	// StillBonded: the account has stake, and the action is for accounts without.
	StillBonded Code = "StillBonded"
	// FaucetTooEarly (class Busy, retryable): the faucet gave tokens lately.
	FaucetTooEarly Code = "FaucetTooEarly"
	// VoteRefused: a poll or proposal does not take the vote.
	VoteRefused Code = "VoteRefused"
)

// What the broker refuses about tickets. Class Payment.
const (
	// TicketMalformed: a field of the ticket cannot be right.
	TicketMalformed Code = "TicketMalformed"
	// TicketRoundUnknown: the ticket's round or its hash is not the chain's.
	TicketRoundUnknown Code = "TicketRoundUnknown"
	// TicketExpired: the ticket's rounds are over.
	TicketExpired Code = "TicketExpired"
	// TicketSecretWrong: the random number is not the one the ticket was made for.
	TicketSecretWrong Code = "TicketSecretWrong"
	// TicketUsed: the ticket was redeemed before.
	TicketUsed Code = "TicketUsed"
	// TicketSignatureWrong: the sender did not sign this ticket.
	TicketSignatureWrong Code = "TicketSignatureWrong"
	// TicketNotWinning: the ticket drew a blank.
	TicketNotWinning Code = "TicketNotWinning"
	// SenderUnlocked: the gateway's funds are free for it to withdraw.
	SenderUnlocked Code = "SenderUnlocked"
	// SenderEmpty: the gateway has neither deposit nor reserve.
	SenderEmpty Code = "SenderEmpty"
	// RecipientInactive: tickets are paid to members of the active set alone.
	RecipientInactive Code = "RecipientInactive"
)

// contractsRows are what the protocol's contracts answer and refuse. Read-only.
var contractsRows = []Row{
	{
		Code: ContractsChanged, Class: Upstream, Wire: chainUnreachable,
		Cause: "The RPC endpoints of `-ethUrl` say that the network's Controller names other contracts than " +
			"those that this node knows: the ones built in for the network, stored at its first start, or " +
			"confirmed since. Either the protocol moved to new contracts, which its upgrades normally do not " +
			"need, or the endpoints lie to have the node's key sign for foreign contracts. Until it " +
			"is decided the node signs no transaction and no ticket: no reward, no redemption, no payment.",
		Remedy: "Compare the addresses of `tutti_cli contracts show` with the protocol's announcements and with " +
			"a block explorer, not with the endpoints. If they are false, take the endpoints out of " +
			"`-ethUrl`. If the protocol did move, run `tutti_cli contracts confirm`.",
	},
	{
		Code: ContractsUnchanged, Class: BadRequest,
		Cause: "A change of the contracts was to be confirmed, and the Controller answers what the node trusts " +
			"already.",
		Remedy: "None needed.",
	},
	{
		Code: ControllerInvalid, Class: Config,
		Cause: "The address taken for the protocol's Controller has no contract that answers like one. The RPC " +
			"endpoint is of another chain, or `-ethController` is wrong.",
		Remedy: "Check that `-ethUrl` belongs to the chain of `-network`; leave `-ethController` out on a known " +
			"network, and correct it on one of your own.",
	},
	{
		Code: ContractMissing, Class: Config,
		Cause: "The network's Controller does not know a contract that the node or the action needs, or nothing " +
			"answers at its address; the message names it.",
		Remedy: "Check `-network`, `-ethUrl` and `-ethController`. Some contracts are absent by nature, as the " +
			"faucet on a main network: then the action cannot be done there.",
	},
	{
		Code: ContractAnswerInvalid, Class: Upstream,
		Cause: "The RPC endpoint answered a contract read with bytes that are not what the contract returns. It " +
			"is faulty, of another chain, or far behind.",
		Remedy: "None needed if it passes: other endpoints are asked. If it repeats, take the endpoint out of " +
			"`-ethUrl` or ask its provider.", Retryable: true,
	},
	{
		Code: ContractReverted, Class: Upstream,
		Symptom: "`execution reverted` with words that nothing else here explains",
		Cause: "A contract refused the call; its own words are in the message. After an upgrade of the protocol " +
			"they may be new to this release.",
		Remedy: "Read the contract's words; look for a newer release of the node if they speak of something it " +
			"should know.",
	},
	{
		Code: ContractPanicked, Class: Upstream,
		Cause:  "A contract failed a check that should never fail, such as an overflow. Nothing was changed.",
		Remedy: "Check the amount that was given. If it is an ordinary one, report the action and the transaction.",
	},
	{
		Code: CommissionNeedsReward, Class: BadRequest,
		Symptom: "`caller can't be active or must have already called reward for the current round`",
		Cause:   "An active orchestrator must call reward in a round before it may change its cuts in it.",
		Remedy:  "Call reward first, then set the cuts, before the round's lock period begins.",
	},
	{
		Code: CannotMoveOwnStake, Class: BadRequest,
		Symptom: "`registered transcoders can't delegate towards other addresses`",
		Cause: "The account is an orchestrator, bonded to itself, and such stake cannot be moved to another " +
			"orchestrator.",
		Remedy: "Unbond everything first, which resigns as orchestrator; then bond the unbonding lock to the " +
			"other one.",
	},
	{
		Code: DelegateMustReward, Class: Busy,
		Symptom: "`transcoder has not yet called reward for the current round`",
		Cause: "The orchestrator is active, is leaving the active set after this round, and has not called " +
			"reward; until it does, no account can bond to it.",
		Remedy: "If it is yours, call reward; otherwise repeat in the next round, or choose another " +
			"orchestrator.",
		Retryable: true,
	},
	{
		Code: StillBonded, Class: BadRequest,
		Symptom: "`caller must be unbonded`",
		Cause: "The account still has stake bonded, and choosing a delegate for an unbonding lock is for " +
			"accounts without any.",
		Remedy: "Leave the delegate's address out: the lock then goes back to the present delegate.",
	},
	{
		Code: FaucetTooEarly, Class: Busy,
		Cause:  "The test network's faucet gave tokens to this account not long ago and refuses without words.",
		Remedy: "Repeat after the waiting time, some hours.", Retryable: true,
	},
	{
		Code: VoteRefused, Class: BadRequest,
		Symptom: "`poll is over`, `Governor: vote not currently active`, `VoteAlreadyCast`, `InvalidVoteType`",
		Cause: "The poll or proposal is not open, this account has voted already, or the choice does not exist; " +
			"the message says which.",
		Remedy: "Check the address or number and the dates of the vote. A vote on a proposal cannot be changed.",
	},
	{
		Code: TicketMalformed, Class: Payment,
		Symptom: "`ticket recipient is null address`, `ticket sender is null address`, `invalid length for ticket " +
			"auxData: must be 64 bytes`",
		Cause: "A winning ticket has a field that the contract does not take; it can never be redeemed.",
		Remedy: "None needed: the ticket is given up. If it repeats with one gateway, report it with the " +
			"gateway's address.",
	},
	{
		Code: TicketRoundUnknown, Class: Payment,
		Symptom: "`ticket creationRound does not have a block hash`, `ticket creationRoundBlockHash invalid for " +
			"creationRound`",
		Cause: "The ticket names a round that was not initialized, or another hash than the chain has for it.",
		Remedy: "None needed: the ticket is given up. If it repeats, compare the node's round with the chain's: " +
			"its RPC endpoint may have been on another fork.",
	},
	{
		Code: TicketExpired, Class: Payment,
		Symptom: "`ticket is expired`",
		Cause:   "The ticket can be redeemed in its own round and the one after it only, and both are over.",
		Remedy: "The ticket's value is lost. If this happens often, look for what delayed redemption: gas price " +
			"above `-maxGasPrice`, no ETH for gas, an endpoint that is down.",
	},
	{
		Code: TicketSecretWrong, Class: Payment,
		Symptom: "`recipientRand does not match recipientRandHash`",
		Cause:   "The secret number kept for a ticket is not the one it was made for.",
		Remedy:  "Report it; the ticket is given up.",
	},
	{
		Code: TicketUsed, Class: Payment,
		Symptom: "`ticket is used`",
		Cause:   "The ticket is redeemed already, by this node before a restart or by another redeemer.",
		Remedy:  "None needed.",
	},
	{
		Code: TicketSignatureWrong, Class: Payment,
		Symptom: "`invalid signature over ticket hash`, `ECDSA: invalid signature`, `INVALID_SIGNATURE_LENGTH`",
		Cause:   "The contract does not find the sender's signature on the ticket.",
		Remedy: "None needed: the ticket is given up. If it repeats with one gateway, that gateway pays with bad " +
			"tickets: refuse it.",
	},
	{
		Code: TicketNotWinning, Class: Payment,
		Symptom: "`ticket did not win`",
		Cause:   "The contract's draw says that the ticket did not win.",
		Remedy:  "Report it: a ticket that does not win should never have been sent.",
	},
	{
		Code: SenderUnlocked, Class: Payment,
		Symptom: "`sender is unlocked`",
		Cause: "The gateway's deposit and reserve have passed their unlock period, and its tickets cannot be " +
			"redeemed any more.",
		Remedy: "None needed: work for it stops. The ticket's value is lost unless the gateway funds its account " +
			"again before the ticket expires.",
	},
	{
		Code: SenderEmpty, Class: Payment,
		Symptom: "`sender deposit and reserve are zero` when a ticket is redeemed",
		Cause:   "The gateway that sent the ticket has neither deposit nor reserve left.",
		Remedy: "None needed: the ticket is tried again while it is valid. Its value is lost unless the gateway " +
			"pays in before that.",
	},
	{
		Code: RecipientInactive, Class: Payment,
		Symptom: "`transcoder must be active` or `transcoder must be registered` when a ticket is redeemed",
		Cause: "The ticket's recipient is not in the active set of this round, and tickets are paid to its " +
			"members alone.",
		Remedy: "Check that `-ethOrchAddr` is the orchestrator and that it is active (`tutti_cli status`). The " +
			"ticket can still be redeemed if it is active again in the next round.",
	},
}
