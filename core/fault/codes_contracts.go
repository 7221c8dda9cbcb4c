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
