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
	// RoundNotInitialized: nobody has opened the present round.
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
	// RoundAlreadyInitialized: somebody was faster; nothing is left to do.
	RoundAlreadyInitialized Code = "RoundAlreadyInitialized"
	// SenderFundsMissing: the account has no deposit and no reserve.
	SenderFundsMissing Code = "SenderFundsMissing"
	// SenderUnlockState: the unlock is already begun, not begun, or not over.
	SenderUnlockState Code = "SenderUnlockState"
	// FaucetMissing: the network gives no tokens away.
	FaucetMissing Code = "FaucetMissing"
)
