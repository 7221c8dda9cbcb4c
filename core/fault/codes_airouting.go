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
	// ModelRateLimited (class Busy): every orchestrator with the model asked this client
	// to come back later, with a time or with status 429.
	ModelRateLimited Code = "ModelRateLimited"
	// SearchesFull (class Busy): as many searches for models without an offer yet
	// wait as may.
	SearchesFull Code = "SearchesFull"
	// ModelWithdrawn (class Busy): the model was offered lately and is not now.
	ModelWithdrawn Code = "ModelWithdrawn"
	// ModelUnavailable (class Busy): orchestrators have the model and none can run it now. It
	// is a condition of the gateway as well.
	ModelUnavailable Code = "ModelUnavailable"
	// OperationUnknown (class NotFound): the model is there, but no orchestrator that has it
	// can do what the request wants.
	OperationUnknown Code = "OperationUnknown"
	// ModelLacksFeature (class NotFound): the model is there, and at no orchestrator that has it does it have a
	// feature that the request needs.
	ModelLacksFeature Code = "ModelLacksFeature"
	// OrchestratorsExcluded (class NotFound): orchestrators offer the model, and the request's own
	// preferences leave none of them.
	OrchestratorsExcluded Code = "OrchestratorsExcluded"
	// DollarRateUnknown (class Busy): the request has a price in dollars, and their rate is not known now.
	DollarRateUnknown Code = "DollarRateUnknown"
	// PriceTooHigh (class Busy): all orchestrators with the model cost more than the gateway
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
	// RoutingFileInvalid (class Config, not retryable): the file of -aiRouting cannot be used.
	RoutingFileInvalid Code = "RoutingFileInvalid"
	// MinRunnerVersionInvalid (class Config, not retryable): -aiMinRunnerVersion
	// cannot be read.
	MinRunnerVersionInvalid Code = "MinRunnerVersionInvalid"
)

// dispatchRows are the conditions of a gateway's choice of orchestrators for AI. Read-only.
var aiRoutingRows = []Row{
	{
		Code: NoOrchestratorReachable, Class: Upstream,
		Cause: "None of the orchestrators that the gateway may use, or that may serve the model, answers: the " +
			"list is empty, they are down, or the network between is.",
		Remedy: "Check the addresses in `-orchAddr`, that port 8935 is open there, and the warnings about single " +
			"orchestrators in this gateway's log.", Retryable: true,
	},
	{
		Code: OrchestratorsFull, Class: Busy,
		Cause: "Every orchestrator that serves the model refused the job for lack of capacity: all slots are " +
			"taken, or the model cannot be started there at the moment.",
		Remedy:    "Try again after the time in Retry-After; the operator can add orchestrators or runners.",
		Retryable: true,
	},
	{
		Code: ModelRateLimited, Class: Busy,
		Cause: "The model's server, or the orchestrator before it, takes no more requests of this client for " +
			"the moment and said when to come back.",
		Remedy: "Try again after the time in Retry-After; the operator can add orchestrators or runners, or " +
			"raise the limit of the model's server.", Retryable: true,
	},
	{
		Code: SearchesFull, Class: Busy,
		Cause: "The gateway looks for orchestrators for too many models at once that it has not met before: " +
			"clients ask for ever new names, or orchestrators take seconds to say what they offer.",
		Remedy: "Try again after the time in Retry-After; if it lasts, the requests' lines in the log name the " +
			"clients that request models that no orchestrator offers.", Retryable: true,
	},
	{
		Code: ModelWithdrawn, Class: Busy,
		Cause: "The orchestrators that served the model a moment ago do not offer it now: its runner has " +
			"crashed and loads again, or was taken away.",
		Remedy: "Try again after the time in Retry-After; if it lasts, /status of the orchestrators says why the " +
			"model is not ready.", Retryable: true,
	},
	{
		Code: ModelUnavailable, Class: Busy,
		Cause: "Orchestrators have a model that clients of this gateway ask for, and none of them can run it " +
			"now. The message names them and the code that each gives, RunnerUnreachable where its model " +
			"server does not answer.",
		Remedy: "On the orchestrator that the message names, follow `tutti help` with the code in brackets; " +
			"`tutti_cli models list` shows the model's state there. Clients may try again after the time in " +
			"Retry-After.", Retryable: true,
	},
	{
		Code: OperationUnknown, Class: NotFound,
		Cause: "Orchestrators offer the model, but none of them can do what the request wants: nodes of the " +
			"existing network know only chat completions and transcriptions, and others say that the model does not do " +
			"it, such as a chat model that makes no embeddings.",
		Remedy: "Ask for one of the model's `operations` in `/v1/models`, or add an orchestrator of this software that " +
			"serves the model with a server that does it.",
	},
	{
		Code: ModelLacksFeature, Class: NotFound,
		Cause: "Orchestrators offer the model, and all of them say that it lacks what the request needs: tools, " +
			"pictures (`vision`), sounds (`audio`), answers by a JSON schema or logprobs.",
		Remedy: "Ask another model, or leave that part of the request out: `/v1/models` lists `supported_parameters` and " +
			"`input_modalities`. Where an orchestrator says it wrongly, its operator corrects `features` in its models " +
			"file; `tutti gateway route --explain REQUEST.json` names what each lacks.",
	},
	{
		Code: OrchestratorsExcluded, Class: NotFound,
		Cause: "Orchestrators offer the model, and the request's `provider` field excludes all of them: by `only`, " +
			"`ignore`, `order` without fallbacks, `require_parameters` or `max_price`.",
		Remedy: "Take the field out of the request, or widen it; `tutti gateway route --explain REQUEST.json` on the " +
			"gateway's machine says what excludes each orchestrator.",
	},
	{
		Code: DollarRateUnknown, Class: Busy,
		Cause: "The request has a price in dollars, and the gateway's price feed has not answered yet, fails, or has " +
			"another currency.",
		Remedy: "Try again after the time in Retry-After; the operator looks for `PriceFeedFailing` and at " +
			"`-priceFeedAddr`.", Retryable: true,
	},
	{
		Code: PriceTooHigh, Class: Busy,
		Cause:  "All orchestrators that serve the model ask for more than this gateway pays.",
		Remedy: "Raise `-maxPricePerCapability` for the model, or `-maxPricePerUnit`.", Retryable: true,
	},
	{
		Code: JobRefused, Class: BadRequest,
		Cause:  "The orchestrator, or the runner behind it, finds the request itself wrong.",
		Remedy: "Correct the request as the text says; asking again or elsewhere does not help.",
	},
	{
		Code: OrchestratorFull, Class: Busy,
		Cause:  "An orchestrator has no free slot for the model at the moment.",
		Remedy: "None needed, the gateway goes elsewhere; if it is usual, that orchestrator needs more runners.",
		Wire:   "insufficient capacity", Retryable: true,
	},
	{
		Code: JobDeclined, Class: Upstream,
		Cause: "An orchestrator would not take a job, for a reason that is not in the request; the detail is " +
			"its text.",
		Remedy: "See the text; that orchestrator's own log has the reason.", Retryable: true,
	},
	{
		Code: JobFailed, Class: Upstream,
		Cause:  "An orchestrator took a job and could not do it; the detail is its text.",
		Remedy: "See the text; that orchestrator's own log has the reason.", Retryable: true,
	},
	{
		Code: JobBroke, Class: Upstream,
		Cause:  "The connection to an orchestrator ended before the answer began: it or the network failed.",
		Remedy: "Check that orchestrator's log for a restart.", Retryable: true,
	},
	{
		Code: JobLate, Class: Upstream,
		Cause: "An orchestrator's answer did not begin in time, or the orchestrator stopped to answer: it is " +
			"overloaded, hangs, or cannot be reached any more.",
		Remedy: "Check that orchestrator's load, and whether its runner answers. Where models are that slow, " +
			"raise `-aiFirstByteTimeout`, or `-aiAnswerTimeout` for answers that come at once.", Retryable: true,
	},
	{
		Code: TicketParamsStale, Class: Payment,
		Symptom: "an error about ticket params; HTTP 400 `TicketParams expired`",
		Cause: "A gateway paid with terms that the orchestrator takes for too old: a job waited long, one of " +
			"the two nodes sees new blocks late, or the orchestrator was killed and restarted.",
		Remedy: "None needed, the gateway asks for new terms; if it persists, check on both nodes that the " +
			"endpoint of `-ethUrl` answers quickly and is up to date.",
		Wire: "TicketParams expired", Retryable: true,
	},
	{
		Code: TicketNonceRefused, Class: Payment,
		Cause:  "An orchestrator has seen a ticket of that number already.",
		Remedy: "None needed, the gateway goes elsewhere; if it repeats, two gateways share one account.",
		Wire:   "invalid ticket senderNonce", Retryable: true,
	},
	{
		Code: RoutingFileInvalid, Class: Config,
		Cause: "The file of `-aiRouting` cannot be read, or an entry of it is wrong; the message names it.",
		Remedy: "Correct the entry: `docs/llm.md` shows the file, and `docs/routing.schema.json` is its schema. A running " +
			"gateway keeps the names that it has.",
	},
	{
		Code: MinRunnerVersionInvalid, Class: Config,
		Cause: "The value of `-aiMinRunnerVersion` is not a JSON list of objects with `pipeline`, `model_id` " +
			"and `minVersion`.",
		Remedy: "Write it as in " +
			"`[{\"pipeline\":\"llm\"," +
			"\"model_id\":\"meta-llama/Meta-Llama-3.1-8B-Instruct\",\"minVersion\":\"0.14.0\"}]`.",
	},
}
