package fault

// A gateway's paying, beside what single tickets are refused for.
const (
	// SpentFailed (class Internal, retryable): what is paid cannot be written down,
	// so nothing is paid.
	SpentFailed Code = "SpentFailed"
	// TicketsTooMany (class Upstream, retryable): a piece of work would take more
	// tickets than one payment may hold.
	TicketsTooMany Code = "TicketsTooMany"
	// TicketParamsTooMany (class Upstream, retryable): one orchestrator hands out
	// more sets of ticket parameters than are kept.
	TicketParamsTooMany Code = "TicketParamsTooMany"
	// SessionsTooMany (class Upstream, retryable): one orchestrator, or all together,
	// have begun more sessions than are kept in mind.
	SessionsTooMany Code = "SessionsTooMany"
	// PaidWorkMissing (class Payment, retryable): an orchestrator was paid more than it
	// has worked for than -maxCreditEV allows; it is paid nothing more for a while.
	PaidWorkMissing Code = "PaidWorkMissing"
	// CreditInUse (class Busy, retryable): the jobs that an orchestrator was paid for and
	// is doing come to what -maxCreditEV allows.
	CreditInUse Code = "CreditInUse"
	// CreditUnknown (class NotFound): no orchestrator of that name was paid recently.
	CreditUnknown Code = "CreditUnknown"
	// PaymentUnsigned (class Internal, retryable): the account's key gave no
	// signature.
	PaymentUnsigned Code = "PaymentUnsigned"
)
