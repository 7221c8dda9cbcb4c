package fault

// Codes of a gateway's choice of orchestrators for AI. Class Upstream and
// retryable unless said otherwise.
const (
	// NoOrchestratorReachable: none of the orchestrators that may serve the model
	// answers. Status 503.
	NoOrchestratorReachable Code = "NoOrchestratorReachable"
	// OrchestratorsFull (class Busy): every orchestrator with the model has all its
	// slots taken.
	OrchestratorsFull Code = "OrchestratorsFull"
	// ModelRateLimited (class Busy): every orchestrator with the model told this client
	// to come back later, with a time or with status 429.
	ModelRateLimited Code = "ModelRateLimited"
	// SearchesFull (class Busy): as many searches for models that nobody offered yet
	// wait as may.
	SearchesFull Code = "SearchesFull"
	// ModelWithdrawn (class Busy): the model was offered lately and is not now.
	ModelWithdrawn Code = "ModelWithdrawn"
	// ModelUnavailable (class Busy): orchestrators have the model and none can run it now. It
	// is a condition of the gateway as well.
	ModelUnavailable Code = "ModelUnavailable"
	// OperationUnknown (class NotFound): the model is there, but nobody who has it
	// can do what is asked of it.
	OperationUnknown Code = "OperationUnknown"
	// PriceTooHigh (class Busy): all who serve the model cost more than the gateway
	// pays.
	PriceTooHigh Code = "PriceTooHigh"

	// JobRefused (class BadRequest, not retryable): the orchestrator or its runner
	// finds the request itself wrong; the detail is its text.
	JobRefused Code = "JobRefused"
	// OrchestratorFull (class Busy): one orchestrator has no slot for the model.
	OrchestratorFull Code = "OrchestratorFull"
	// JobDeclined: an orchestrator would not take a job, for a reason that is not
	// the request's.
	JobDeclined Code = "JobDeclined"
	// JobFailed: an orchestrator took a job and could not do it.
	JobFailed Code = "JobFailed"
	// JobBroke: the connection ended before the answer began.
	JobBroke Code = "JobBroke"
	// JobLate: the answer did not begin in time. Status 504.
	JobLate Code = "JobLate"
	// TicketParamsStale (class Payment): the terms of payment are too old.
	TicketParamsStale Code = "TicketParamsStale"
	// TicketNonceRefused (class Payment): the orchestrator had a ticket of that
	// number already.
	TicketNonceRefused Code = "TicketNonceRefused"
	// MinRunnerVersionInvalid (class Config, not retryable): -aiMinRunnerVersion
	// cannot be read.
	MinRunnerVersionInvalid Code = "MinRunnerVersionInvalid"
)
